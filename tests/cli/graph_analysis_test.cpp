// What the commands that ask graphs something have in common, on graphs of either kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <perdure/array_store.hpp>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/properties.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/manager.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "support/loop_mount.hpp"
#include "support/program.hpp"
#include "support/random_stream.hpp"
#include "support/scratch_directory.hpp"

namespace {

namespace graph = perdure::graph;

class GraphAnalysis : public testing::Test {
 protected:
  using arguments = std::vector<std::string>;

  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  static std::string text_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string ok(const arguments& a) {
    const perdure::test::outcome o = perdure::test::perdure_run(a);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return o.out;
  }
  nlohmann::json ok_json(arguments a) {
    a.push_back("--json");
    return nlohmann::json::parse(ok(a));
  }
  std::string fails(const arguments& a, int status = 1) {
    const perdure::test::outcome o = perdure::test::perdure_run(a);
    EXPECT_EQ(o.status, status) << o.out << o.err;
    return o.err;
  }

  /// A store with CSRs of these names of a graph of two parts: 10 - 20 - 30 - 10 and 7 - 8, 8 - 8.
  std::string store_with(const std::vector<std::string>& names,
                         graph::vertex_order order = graph::vertex_order::by_id) {
    const auto edges = dir_.write("edges", "10 20\n20 30\n10 30\n7 8\n8 8\n");
    perdure::manager store(perdure::create_only, path("store"));
    for (const std::string& name : names)
      graph::build_csr(*store.construct<graph::stored_csr>(name)(), *graph::open_graph_file(edges),
                       {.kind = graph::direction::undirected, .order = order});
    store.close();
    return path("store");
  }

  perdure::scratch_directory dir_;
};

TEST_F(GraphAnalysis, TakesACsrWhereTheStoreHasOne) {
  for (const graph::vertex_order order : {graph::vertex_order::by_id, graph::vertex_order::by_degree}) {
    const std::string store = store_with({"web.csr"}, order);
    const nlohmann::json info = ok_json({"graph", "info", store, "--top", "1"});
    EXPECT_EQ(info["graph"], "web.csr");
    EXPECT_EQ(info["layout"], "csr");
    EXPECT_EQ(info["vertices"], 5);
    EXPECT_EQ(info["edges"], 5);
    EXPECT_EQ(info["self_loops"], 1);
    EXPECT_EQ(info["stored_neighbours"], 9);
    EXPECT_EQ(info["top"], (nlohmann::json{{{"id", 8}, {"neighbours", 2}}}));

    const nlohmann::json bfs = ok_json({"graph", "bfs", store, "--source", "20", "--check"});
    EXPECT_EQ(bfs["store"], store);
    EXPECT_EQ(bfs["reached"], 3);
    EXPECT_EQ(bfs["reached_arcs"], 6);
    EXPECT_EQ(bfs["levels"], (nlohmann::json{1, 2}));
    EXPECT_EQ(bfs["is_right"], true);
    EXPECT_EQ(ok({"graph", "bfs", store, "--source", "20", "--output", "-"}),
              "10\t1\t20\n20\t0\t20\n30\t1\t20\n");
    EXPECT_EQ(ok({"graph", "bfs", store, "--source", "7", "--levels", "-"}), "7 0\n8 1\n");
    EXPECT_NE(fails({"graph", "bfs", store, "--source", "9"}).find("vertex 9 is not in the graph"),
              std::string::npos);

    EXPECT_EQ(ok_json({"graph", "cc", store, "--check"})["components"], 2);
    EXPECT_EQ(ok({"graph", "cc", store, "--output", "-"}), "7\t7\n8\t7\n10\t10\n20\t10\n30\t10\n");
    EXPECT_NE(ok({"graph", "cc", store, "--check"}).find("checked"), std::string::npos);
    perdure::manager::remove(store);
  }
}

TEST_F(GraphAnalysis, AsksWhichGraphWhereThereAreSeveral) {
  const std::string store = store_with({"a", "b"});
  EXPECT_NE(fails({"graph", "cc", store}).find("several graphs (a, b); say which with --graph"),
            std::string::npos);
  EXPECT_EQ(ok_json({"graph", "cc", store, "--graph", "b"})["graph"], "b");
  EXPECT_NE(fails({"graph", "cc", store, "--graph", "c"}).find("no graph named \"c\""), std::string::npos);
  {
    perdure::manager other(perdure::open_only, store);
    other.construct<int>("number")(1);
    other.close();
  }
  EXPECT_NE(fails({"graph", "cc", store, "--graph", "number"}).find("was stored as int"), std::string::npos);
  // What `ingest` makes comes first.
  ok({"graph", "ingest", store, dir_.write("more", "1 2\n").string()});
  EXPECT_EQ(ok_json({"graph", "cc", store})["vertices"], 2);
  EXPECT_EQ(ok_json({"graph", "cc", store, "--graph", "a"})["vertices"], 5);
}

TEST_F(GraphAnalysis, CommonOptionsServeEveryAnalysis) {
  const std::string store = path("list");
  ok({"graph", "ingest", store, "--rmat-scale", "12", "--undirected"});
  const std::string source =
      std::to_string(ok_json({"graph", "info", store, "--top", "1"})["top"][0]["id"].get<std::uint64_t>());
  const nlohmann::json plain =
      ok_json({"graph", "bfs", store, "--source", source, "--check", "--trials", "3"});
  EXPECT_EQ(plain["trial_seconds"].size(), 3U);
  EXPECT_EQ(plain["is_right"], true);
  EXPECT_EQ(plain["graph"], "graph");
  const nlohmann::json paged = ok_json({"graph", "bfs", store, "--source", source, "--budget", "1MiB",
                                        "--output", path("values"), "--threads", "3"});
  EXPECT_EQ(paged["levels"], plain["levels"]);
  const std::string values = text_of(path("values"));
  EXPECT_EQ(std::count(values.begin(), values.end(), '\n'), paged["reached"]);
  EXPECT_NE(ok({"graph", "bfs", store, "--source", source, "--trials", "2"}).find("median of 2"),
            std::string::npos);
  EXPECT_NE(fails({"graph", "cc", store, "--json", "--output", "-"}, 2).find("standard output"),
            std::string::npos);
  EXPECT_NE(fails({"graph", "cc", store, "--json", "--labels", "-"}, 2).find("standard output"),
            std::string::npos);
  EXPECT_NE(fails({"graph", "cc", store, "--trials", "0"}, 2).find("--trials"), std::string::npos);
}

TEST_F(GraphAnalysis, AnExternalSearchKeepsItsArraysWithinTheBudget) {
  ok({"graph", "generate", "rmat", "--scale", "18", "--edge-factor", "4", "-o", path("e.bin")});
  ok({"graph", "build", path("s"), path("e.bin"), "--undirected", "--order", "degree"});
  const arguments search{"graph", "bfs", path("s"), "--source", "1", "--check"};
  const auto with = [&](arguments more) {
    more.insert(more.begin(), search.begin(), search.end());
    return more;
  };
  const nlohmann::json plain = ok_json(with({"--output", path("plain.csv")}));
  const nlohmann::json paged =
      ok_json(with({"--external", "--budget", "1MiB", "--threads", "2", "--output", path("external.csv")}));
  EXPECT_FALSE(plain.contains("external"));
  for (const char* key : {"source", "reached", "reached_arcs", "levels", "vertices", "is_right"})
    EXPECT_EQ(paged[key], plain[key]) << key;
  const nlohmann::json& external = paged["external"];
  EXPECT_GE(external["array_bytes"], 8 * paged["vertices"].get<std::uint64_t>());
  if (external["keeps_budget"] == true) {
    EXPECT_LE(external["most_resident_bytes"], 512 << 10);
    EXPECT_GT(external["bytes_written"], 0);
  }
  const auto levels_of = [](const std::string& text) {
    // Parents may differ from run to run.
    std::istringstream lines(text);
    std::string levels;
    for (std::string line; std::getline(lines, line);) levels += line.substr(0, line.rfind(',')) + '\n';
    return levels;
  };
  EXPECT_EQ(levels_of(text_of(path("external.csv"))), levels_of(text_of(path("plain.csv"))));
  // The file has no name, and goes where it is told to.
  std::size_t names = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir_ / ".")) ++names;
  EXPECT_EQ(names, 4U);
  ok(with({"--external", "--budget", "1MiB", "--scratch", path("."), "--trials", "2"}));
  EXPECT_NE(fails(with({"--external", "--budget", "1MiB", "--scratch", path("none")})).find("with --scratch"),
            std::string::npos);
  EXPECT_NE(fails(with({"--external"}), 2).find("needs --budget SIZE"), std::string::npos);
  EXPECT_NE(fails(with({"--external", "--budget", "64KiB"}), 2).find("at least 1MiB"), std::string::npos);
  EXPECT_NE(fails(with({"--scratch", path(".")}), 2).find("give --external too"), std::string::npos);
  ok({"graph", "ingest", path("list"), dir_.write("few", "1 2\n2 3\n").string()});
  const arguments of_list{"graph", "bfs", path("list"), "--source", "1", "--external", "--budget", "1MiB"};
  EXPECT_NE(fails(of_list).find("only an adjacency list: bring it up to date with 'perdure graph freeze'"),
            std::string::npos);
  ok({"graph", "freeze", path("list")});
  ok(of_list);
  ok({"graph", "ingest", path("list"), dir_.write("more", "3 4\n").string(), "--append"});
  EXPECT_NE(ok(of_list).find("reached        4 of 4"), std::string::npos);
}

TEST_F(GraphAnalysis, WritesResultsByTheNameOfTheFile) {
  const std::string store = store_with({"web.csr"});
  ok({"graph", "bfs", store, "--source", "20", "--output", path("levels.csv")});
  EXPECT_EQ(text_of(path("levels.csv")), "id,level,parent\n10,1,20\n20,0,20\n30,1,20\n");
  ok({"graph", "clustering", store, "--output", path("clustering.npy")});
  const std::string array = text_of(path("clustering.npy"));
  const std::size_t lines = 5;
  ASSERT_EQ(array.size() % 64, lines * 24 % 64);
  EXPECT_EQ(array.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::string header = array.substr(10, array.size() - 10 - lines * 24);
  EXPECT_EQ(
      header.substr(0, header.find(" }") + 2),
      "{'descr': [('id', '<u8'), ('clustering', '<f8'), ('triangles', '<u8'), ], 'fortran_order': False, "
      "'shape': (5,), }");
  EXPECT_EQ(static_cast<std::size_t>(array[8]), header.size());
  struct line {
    std::uint64_t id;
    double clustering;
    std::uint64_t triangles;
  };
  std::array<line, lines> values{};
  std::memcpy(values.data(), array.data() + array.size() - sizeof values, sizeof values);
  EXPECT_EQ(values[0].id, 7U);
  EXPECT_EQ(values[0].clustering, 0);
  EXPECT_EQ(values[4].id, 30U);
  EXPECT_EQ(values[4].clustering, 1);
  EXPECT_EQ(values[4].triangles, 1U);
}

TEST_F(GraphAnalysis, KeepsResultsInTheStore) {
  const std::string store = store_with({"web.csr"});
  const nlohmann::json bfs =
      ok_json({"graph", "bfs", store, "--source", "20", "--store-as", "results/levels"});
  EXPECT_EQ(bfs["stored_as"], "results/levels");
  EXPECT_GT(bfs["teps"], 0);
  ok({"graph", "bfs", store, "--source", "7", "--store-as", "results/levels"});
  EXPECT_NE(ok({"graph", "pagerank", store, "--store-as", "rank"}).find("stored         as the array rank"),
            std::string::npos);
  {
    perdure::manager opened(perdure::open_read_only, store);
    const perdure::array_store arrays(opened);
    struct line {
      std::uint64_t id;
      std::uint64_t level;
      std::uint64_t parent;
    };
    const auto levels = arrays.load<std::vector<line>>("results/levels");
    ASSERT_EQ(levels.size(), 2U);
    EXPECT_EQ(levels[1].id, 8U);
    EXPECT_EQ(levels[1].level, 1U);
    EXPECT_EQ(levels[1].parent, 7U);
    EXPECT_EQ(arrays.array("results/levels").attribute<std::string>("made by"), "perdure graph bfs");
    EXPECT_EQ(arrays.array("rank").attribute<std::string>("graph"), "web.csr");
    EXPECT_EQ(arrays.array("rank").info().dims.elements(), 5U);
  }
  EXPECT_NE(ok({"array", "dump", store + ":results/levels"}).find("8"), std::string::npos);
  {
    perdure::manager opened(perdure::open_only, store);
    perdure::array_store(opened).store("mine", std::vector<int>{1});
    opened.close();
  }
  EXPECT_NE(fails({"graph", "cc", store, "--store-as", "mine"}).find("--store-as has not made"),
            std::string::npos);
}

TEST_F(GraphAnalysis, CommunitiesAreKeptWithAllLevelsAndBegunWith) {
  const std::string store = store_with({"web.csr"});
  const nlohmann::json found = ok_json({"graph", "louvain", store, "--store-as", "found"});
  const auto fields_of_levels = [&store] {
    const perdure::array_store arrays(perdure::open_read_only, store);
    return arrays.contains("found.levels") ? arrays.info("found.levels").dims : perdure::extents{};
  };
  const std::size_t levels = found["by_level"].size();
  EXPECT_GE(levels, 1U);
  EXPECT_EQ(found["by_level"].back()["modularity"], found["modularity"]);
  EXPECT_EQ(fields_of_levels(), (perdure::extents{levels, 5}));
  const nlohmann::json again = ok_json({"graph", "louvain", store, "--from", "found", "--verify"});
  EXPECT_EQ(again["modularity"], found["modularity"]);
  EXPECT_EQ(again["from"]["vertices"], 5);
  EXPECT_EQ(again["from"]["new_vertices"], 0);
  EXPECT_LT(again["iterations"], found["iterations"]);
  EXPECT_NE(
      ok({"graph", "louvain", store, "--from", "found"}).find("the communities found of 5 vertices; 0 new"),
      std::string::npos);
  EXPECT_NE(fails({"graph", "louvain", store, "--from", "found.levels"}).find("holds no communities"),
            std::string::npos);
  EXPECT_NE(fails({"graph", "louvain", store, "--from", "other"}).find("\"other\""), std::string::npos);
  // Those of another kind have no levels.
  ok({"graph", "lpa", store, "--store-as", "found"});
  EXPECT_EQ(fields_of_levels(), perdure::extents{});
  ok({"graph", "louvain", store, "--from", "found", "--store-as", "found"});
  EXPECT_EQ(fields_of_levels().rank(), 2U);
}

TEST_F(GraphAnalysis, PageRankIsComputedAndVerified) {
  const std::string store = store_with({"web.csr"});
  const nlohmann::json found = ok_json({"graph", "pagerank", store, "--verify", "--top", "2"});
  EXPECT_EQ(found["is_right"], true);
  EXPECT_EQ(found["converged"], true);
  EXPECT_GT(found["iterations"], 2);
  EXPECT_NEAR(found["sum"], 1, 1e-12);
  EXPECT_EQ(found["top"].size(), 2U);
  EXPECT_EQ(found["top"][0]["id"], 8);
  EXPECT_EQ(ok_json({"graph", "pagerank", store, "--iterations", "1"})["converged"], false);
  EXPECT_NE(ok({"graph", "pagerank", store, "--iterations", "1"}).find("not converged"), std::string::npos);
  EXPECT_NE(fails({"graph", "pagerank", store, "--tolerance", "-1"}, 2).find("not a number from 0 to 1"),
            std::string::npos);
  EXPECT_EQ(ok({"graph", "pagerank", store, "--tolerance", "0.5", "--damping", "0", "--output", "-"}),
            "7\t0.2\n8\t0.2\n10\t0.2\n20\t0.2\n30\t0.2\n");
}

TEST_F(GraphAnalysis, ShortestPathsAreFoundAndVerified) {
  const std::string store = path("roads");
  {
    const auto edges = dir_.write("roads.txt", "1 2 0.5\n2 3 0.25\n1 3 1\n4 1 1\n");
    perdure::manager made(perdure::create_only, store);
    graph::build_csr(*made.construct<graph::stored_csr>("roads")(), *graph::open_graph_file(edges),
                     {.with_weights = true});
    made.close();
  }
  EXPECT_EQ(ok_json({"graph", "info", store})["weighted"], true);
  const nlohmann::json found = ok_json({"graph", "sssp", store, "--source", "1", "--verify"});
  EXPECT_EQ(found["reached"], 3);
  EXPECT_EQ(found["farthest"], 0.75);
  EXPECT_EQ(found["weighted"], true);
  EXPECT_EQ(found["is_right"], true);
  EXPECT_EQ(ok({"graph", "sssp", store, "--source", "1", "--delta", "0.1", "--output", "-"}),
            "1\t0\n2\t0.5\n3\t0.75\n");
  // Without weights each arc counts 1.
  EXPECT_EQ(ok({"graph", "sssp", store_with({"a"}), "--source", "20", "-o", "-"}), "10\t1\n20\t0\n30\t1\n");
}

TEST_F(GraphAnalysis, TrianglesAreCountedAndVerified) {
  const std::string store = store_with({"web.csr"});
  const nlohmann::json counted = ok_json({"graph", "tc", store, "--verify"});
  EXPECT_EQ(counted["triangles"], 1);
  EXPECT_EQ(counted["is_right"], true);
  EXPECT_EQ(ok({"graph", "tc", store, "--output", "-"}), "7\t0\n8\t0\n10\t1\n20\t1\n30\t1\n");
  const nlohmann::json clustered = ok_json({"graph", "clustering", store, "--verify"});
  EXPECT_EQ(clustered["average_clustering"], 0.6);
  EXPECT_EQ(clustered["transitivity"], 1);
  EXPECT_EQ(clustered["triangles"], 1);
  EXPECT_NE(ok({"graph", "clustering", store}).find("0.6"), std::string::npos);
}

TEST_F(GraphAnalysis, StrongComponentsCoresAndTrussesAreFoundAndVerified) {
  const std::string store = store_with({"web.csr"});
  const std::string directed = path("directed");
  ok({"graph", "ingest", directed, dir_.write("arcs", "1 2\n2 3\n3 1\n3 4\n").string()});
  const nlohmann::json strong = ok_json({"graph", "scc", directed, "--verify"});
  EXPECT_EQ(strong["components"], 2);
  EXPECT_EQ(strong["largest"], 3);
  EXPECT_EQ(strong["is_right"], true);
  EXPECT_EQ(ok({"graph", "scc", directed, "-o", "-"}), "1\t1\n2\t1\n3\t1\n4\t4\n");
  EXPECT_EQ(ok_json({"graph", "scc", store})["components"], 2);

  const nlohmann::json cores = ok_json({"graph", "kcore", store, "--verify"});
  EXPECT_EQ(cores["max_core"], 2);
  EXPECT_EQ(cores["k"], 2);
  EXPECT_EQ(cores["core_vertices"], 3);
  EXPECT_EQ(cores["cores"], (nlohmann::json{{{"core", 1}, {"vertices", 2}}, {{"core", 2}, {"vertices", 3}}}));
  EXPECT_EQ(ok_json({"graph", "kcore", store, "--k", "1"})["core_vertices"], 5);
  EXPECT_EQ(ok({"graph", "kcore", store, "--k", "2", "-o", "-"}), "10\t2\n20\t2\n30\t2\n");
  EXPECT_NE(ok({"graph", "kcore", directed}).find("in the 2-core  3 of 4 vertices"), std::string::npos);

  const nlohmann::json trusses = ok_json({"graph", "ktruss", store, "--verify"});
  EXPECT_EQ(trusses["max_truss"], 3);
  EXPECT_EQ(trusses["edges"], 3);
  EXPECT_EQ(trusses["trusses"], (nlohmann::json{{{"k", 2}, {"edges", 4}}, {{"k", 3}, {"edges", 3}}}));
  EXPECT_EQ(ok_json({"graph", "ktruss", store, "--k", "2"})["edges"], 4);
  EXPECT_EQ(ok_json({"graph", "ktruss", store, "--k", "4"})["edges"], 0);
  EXPECT_EQ(ok({"graph", "ktruss", store, "-o", "-"}), "7\t8\t2\n10\t20\t3\n10\t30\t3\n20\t30\t3\n");
  fails({"graph", "ktruss", store, "--k", "1"}, 2);
}

TEST_F(GraphAnalysis, CommunitiesAreFoundAndVerified) {
  const std::string store = store_with({"web.csr"});
  for (const char* const method : {"louvain", "lpa"}) {
    const nlohmann::json found = ok_json({"graph", method, store, "--verify"});
    EXPECT_EQ(found["communities"], 2);
    EXPECT_EQ(found["largest"], 3);
    EXPECT_EQ(found["modularity"], 0.375);
    EXPECT_EQ(found["is_right"], true);
    EXPECT_GT(found["iterations"], 0);
    EXPECT_EQ(ok({"graph", method, store, "-o", "-"}), "7\t7\n8\t7\n10\t10\n20\t10\n30\t10\n");
    EXPECT_NE(ok({"graph", method, store}).find("modularity     0.375"), std::string::npos);
  }
  EXPECT_EQ(ok_json({"graph", "louvain", store, "--resolution", "100"})["communities"], 5);
  EXPECT_EQ(ok_json({"graph", "lpa", store, "--iterations", "1"})["iterations"], 1);
}

TEST_F(GraphAnalysis, BetweennessPathsAndNeighboursAreFoundAndVerified) {
  const std::string store = path("chain");
  ok({"graph", "ingest", store, dir_.write("chain.txt", "1 2\n2 3\n3 4\n9 9\n").string(), "--undirected"});
  const nlohmann::json scores = ok_json({"graph", "bc", store, "--verify", "--top", "1"});
  EXPECT_EQ(scores["exact"], true);
  EXPECT_EQ(scores["sources"], 5);
  EXPECT_EQ(scores["is_right"], true);
  EXPECT_EQ(scores["top"], (nlohmann::json{{{"id", 2}, {"betweenness", 2.0}}}));
  EXPECT_EQ(ok({"graph", "bc", store, "-o", "-"}), "1\t0\n2\t2\n3\t2\n4\t0\n9\t0\n");
  EXPECT_EQ(ok_json({"graph", "bc", store, "--samples", "2"})["exact"], false);
  EXPECT_NEAR(ok_json({"graph", "bc", store, "--normalized"})["top"][0]["betweenness"], 1.0 / 3, 1e-12);

  const nlohmann::json found =
      ok_json({"graph", "path", store, "--source", "4", "--target", "1", "--verify"});
  EXPECT_EQ(found["path"], (nlohmann::json{4, 3, 2, 1}));
  EXPECT_EQ(found["length"], 3);
  EXPECT_EQ(found["distance"], 3);
  EXPECT_EQ(found["found"], true);
  EXPECT_EQ(ok_json({"graph", "path", store, "--source", "4", "--target", "9", "--verify"})["found"], false);
  EXPECT_NE(ok({"graph", "path", store, "--source", "4", "--target", "9"}).find("no path"),
            std::string::npos);
  EXPECT_EQ(ok({"graph", "path", store, "--source", "3", "--target", "1", "-o", "-"}), "3\n2\n1\n");
  EXPECT_NE(ok({"graph", "path", store, "--source", "3", "--target", "1"}).find("3 2 1\n"),
            std::string::npos);

  const nlohmann::json around = ok_json({"graph", "neighbours", store, "2", "--hops", "2", "--verify"});
  EXPECT_EQ(around["neighbours"], (nlohmann::json{1, 3, 4}));
  EXPECT_EQ(around["reached"], 3);
  EXPECT_EQ(around["levels"], (nlohmann::json{1, 2, 1}));
  EXPECT_EQ(ok({"graph", "neighbours", store, "2", "-o", "-"}), "1\t1\n3\t1\n");
  EXPECT_NE(ok({"graph", "neighbours", store, "2", "--hops", "2"}).find("2: 1 3\n"), std::string::npos);
  EXPECT_NE(fails({"graph", "neighbours", store, "7"}).find("vertex 7 is not in the graph"),
            std::string::npos);
  fails({"graph", "neighbours", store}, 2);
}

TEST_F(GraphAnalysis, ListsWhatACsrHolds) {
  const std::string store = store_with({"web.csr"});
  const nlohmann::json all = ok_json({"ls", store})["objects"][0];
  const nlohmann::json values = ok_json({"ls", store, "web.csr"})["object"]["values"][0];
  EXPECT_EQ(values["targets"], (nlohmann::json{1, 0, 1, 3, 4, 2, 4, 2, 3}));
  EXPECT_EQ(values["ids"], (nlohmann::json{7, 8, 10, 20, 30}));
  EXPECT_EQ(values["self_loops"], 1);
  EXPECT_GT(all["bytes"], 6 * 8 + 9 * 4 + 5 * 8);
}

TEST_F(GraphAnalysis, WritesGraphsThatReadBackAreTheSame) {
  const std::string store = path("s");
  const std::string input = dir_.write("in", "10 20 5\n20 30 7\n10 30 1\n7 8 2\n8 8 3\n").string();
  ok({"graph", "ingest", store, input, "--undirected"});
  EXPECT_EQ(ok({"graph", "export", store, "-o", "-"}), "8\t7\t2\n8\t8\t3\n20\t10\t5\n30\t10\t1\n30\t20\t7\n");
  EXPECT_EQ(ok({"graph", "export", store, "-o", "-", "--to", "mtx", "--without-weights"}),
            "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 5\n2 1\n2 2\n4 3\n5 3\n5 4\n");
  const nlohmann::json written =
      ok_json({"graph", "export", store, "-o", path("g.wsg"), "--ids", path("ids")});
  EXPECT_EQ(written["format"], "gapbs");
  EXPECT_EQ(written["vertices"], 5);
  EXPECT_EQ(text_of(path("ids")), "7\n8\n10\n20\n30\n");
  for (const char* const format : {"mtx", "gapbs", "text"}) {
    const std::string file = path(std::string("again.") + (std::string(format) == "gapbs" ? "wsg" : format));
    ok({"graph", "export", store, "-o", file, "--to", format});
    ok({"graph", "convert", file, "-o", path("back.mtx"), "--undirected"});
    EXPECT_EQ(text_of(path("back.mtx")), ok({"graph", "export", store, "-o", "-", "--to", "mtx"})) << format;
  }
  // A directed graph of GAPBS has its arcs twice.
  ok({"graph", "convert", input, "-o", path("d.wsg")});
  EXPECT_EQ(ok({"graph", "convert", path("d.wsg"), "-o", "-"}),
            "0\t1\t2\n1\t1\t3\n2\t3\t5\n2\t4\t1\n3\t4\t7\n");
  EXPECT_EQ(ok({"graph", "convert", input, input, "-o", "-", "--duplicates", "sum"}),
            "7\t8\t4\n8\t8\t6\n10\t20\t10\n10\t30\t2\n20\t30\t14\n");
  EXPECT_NE(ok({"graph", "export", store, "-o", "-", "--to", "graphml"})
                .find("<edge source=\"20\" target=\"10\"><data key=\"weight\">5</data></edge>"),
            std::string::npos);
  EXPECT_NE(
      fails({"graph", "convert", dir_.write("f", "1 2 0.5\n").string(), "-o", path("f.wsg")}).find("0.5"),
      std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("f.wsg")));
  const std::string named = dir_.write("n.csv", "from,to,date\n\"a b\",c<,2016-03-01\n").string();
  EXPECT_EQ(ok({"graph", "convert", named, "--names", "-o", "-"}), "\"a b\"\tc<\t1456790400\n");
  EXPECT_NE(ok({"graph", "convert", named, "--names", "-o", "-", "--to", "graphml"}).find("c&lt;"),
            std::string::npos);
}

TEST_F(GraphAnalysis, TellsHowManyNeighboursVerticesHave) {
  const std::string store = store_with({"web.csr"});
  const nlohmann::json stats =
      ok_json({"graph", "stats", store, "--plot", path("p.svg"), "--output", path("d.csv")});
  EXPECT_EQ(stats["edges"], 5);
  EXPECT_EQ(stats["self_loops"], 1);
  EXPECT_EQ(stats["isolated"], 0);
  EXPECT_EQ(stats["degrees"]["largest"], 2);
  EXPECT_EQ(stats["degrees"]["mean"], 1.8);
  EXPECT_EQ(stats["degrees"]["median"], 2);
  EXPECT_EQ(stats["degrees"]["distribution"][2], (nlohmann::json{{"from", 2}, {"to", 3}, {"vertices", 4}}));
  EXPECT_EQ(text_of(path("p.svg")).substr(0, 4), "<svg");
  EXPECT_EQ(text_of(path("d.csv")), "id,degree\n7,1\n8,2\n10,2\n20,2\n30,2\n");
  EXPECT_NE(ok({"graph", "stats", store}).find("2-3  4  ###"), std::string::npos);
  ok({"graph", "ingest", path("l"), dir_.write("e", "1 2\n1 3\n").string()});
  const nlohmann::json directed = ok_json({"graph", "stats", path("l")});
  EXPECT_EQ(directed["degrees"]["largest"], 2);
  EXPECT_EQ(directed["in_degrees"]["largest"], 1);
}

TEST_F(GraphAnalysis, UsesTheFrozenGraphWhileItIsFresh) {
  const std::string store = path("s");
  const auto file = [&](const std::string& text) {
    static int number = 0;
    return dir_.write("e" + std::to_string(++number), text).string();
  };
  ok({"graph", "ingest", store, file("1 2 5\n2 3 1\n5 1 2\n9 9 1\n")});
  const auto distances = [&] { return ok({"graph", "sssp", store, "--source", "1", "--output", "-"}); };
  const std::string before = distances();
  EXPECT_FALSE(ok_json({"graph", "cc", store}).contains("frozen"));
  EXPECT_EQ(ok_json({"graph", "freeze", store})["done"], "built");
  EXPECT_EQ(ok_json({"graph", "freeze", store})["done"], "kept");
  nlohmann::json cc = ok_json({"graph", "cc", store, "--check"});
  EXPECT_EQ(cc["frozen"], "fresh");
  EXPECT_EQ(cc["index_seconds"], 0);
  EXPECT_EQ(distances(), before);
  // What is added goes into both.
  ok({"graph", "ingest", store, file("3 10 1\n10 2 1\n")});
  cc = ok_json({"graph", "cc", store, "--check"});
  EXPECT_EQ(cc["frozen"], "fresh");
  EXPECT_EQ(cc["vertices"], 6);
  EXPECT_EQ(distances(), "1\t0\n2\t5\n3\t6\n10\t7\n");
  const nlohmann::json frozen = ok_json({"graph", "freeze", store});
  EXPECT_EQ(frozen["done"], "patched");
  EXPECT_EQ(frozen["merged_edges"], 2);
  EXPECT_EQ(frozen["arcs"], 6);
  EXPECT_EQ(frozen["patch_arcs"], 2);
  EXPECT_NE(ok({"graph", "freeze", store}).find("in the patch   2 arcs"), std::string::npos);
  EXPECT_EQ(distances(), "1\t0\n2\t5\n3\t6\n10\t7\n");
  // What another program adds does not.
  {
    perdure::manager other(perdure::open_only, store);
    using list_type = graph::adjacency_list<graph::store_containers>;
    other.find<list_type>("graph").first->add_edge(3, 5);
    other.close();
  }
  EXPECT_EQ(ok_json({"graph", "cc", store, "--check"})["frozen"], "stale");
  EXPECT_NE(ok({"graph", "cc", store}).find("stale"), std::string::npos);
  EXPECT_EQ(ok_json({"graph", "freeze", store})["done"], "built");
  EXPECT_EQ(ok_json({"graph", "cc", store})["frozen"], "fresh");
  ok({"graph", "ingest", store, file("1 2 3\n"), "--duplicates", "sum"});
  EXPECT_EQ(ok_json({"graph", "cc", store})["frozen"], "stale");
}

/// A line for each edge between random vertices, some of which are new in each call.
std::string random_edges(std::mt19937_64& random, int count, unsigned vertices) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += std::to_string(random() % vertices * 3) + " " + std::to_string(random() % vertices * 3) + " " +
            std::to_string(1 + random() % 9) + "\n";
  return text;
}

TEST_F(GraphAnalysis, AnswersTheSameOfAPatchedGraph) {
  for (const bool undirected : {true, false}) {
    const std::string store = path(undirected ? "undirected" : "directed");
    std::mt19937_64 random(9);
    const auto add = [&](int count, unsigned vertices) {
      arguments command{"graph", "ingest", store,
                        dir_.write("added.txt", random_edges(random, count, vertices)).string()};
      if (undirected) command.emplace_back("--undirected");
      ok(command);
    };
    add(6000, 500);
    ok({"graph", "freeze", store});
    for (int i = 0; i < 2; ++i) {
      add(300, 550);
      EXPECT_EQ(ok_json({"graph", "freeze", store})["done"], "patched");
    }
    add(200, 600);  // stay in the delta

    // Answers that are the same whatever the order of a row.
    const std::vector<arguments> exact = {
        {"sssp", "--source", "3"}, {"cc"}, {"scc"}, {"tc"}, {"kcore"}, {"stats"}, {"ktruss"}};
    const auto answers = [&] {
      std::vector<std::string> found;
      for (arguments command : exact) {
        command.insert(command.begin(), "graph");
        command.insert(command.begin() + 2, store);
        command.insert(command.end(), {"--output", path("answer.csv")});
        ok(command);
        found.push_back(text_of(path("answer.csv")));
      }
      return found;
    };
    const auto others = [&] {
      std::vector<nlohmann::json> found;
      for (arguments command : {arguments{"bfs", "--source", "3"},
                                {"pagerank", "--tolerance", "1e-12", "--iterations", "500"},
                                {"louvain"},
                                {"lpa"},
                                {"clustering"},
                                {"bc", "--samples", "20"}}) {
        command.insert(command.begin(), "graph");
        command.insert(command.begin() + 2, store);
        command.emplace_back("--check");
        found.push_back(ok_json(command));
        EXPECT_EQ(found.back()["is_right"], true) << command[1];
        EXPECT_EQ(found.back()["frozen"], "fresh") << command[1];
      }
      return found;
    };
    const std::vector<std::string> patched = answers();
    const std::vector<nlohmann::json> patched_others = others();
    const nlohmann::json whole = ok_json({"graph", "freeze", store, "--whole"});
    EXPECT_EQ(whole["done"], "merged");
    EXPECT_EQ(whole["merged_edges"], 200);
    EXPECT_EQ(whole["patch_arcs"], 0);
    EXPECT_EQ(ok_json({"graph", "freeze", store, "--whole"})["done"], "kept");
    const std::vector<std::string> merged = answers();
    const std::vector<nlohmann::json> merged_others = others();
    EXPECT_GT(patched_others[0]["index_seconds"], 0);
    EXPECT_EQ(merged_others[0]["index_seconds"], 0);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_EQ(patched[i], merged[i]) << exact[i][0];
      EXPECT_NE(patched[i], "") << exact[i][0];
    }
    EXPECT_EQ(patched_others[0]["levels"], merged_others[0]["levels"]);
    EXPECT_EQ(patched_others[1]["top"][0]["id"], merged_others[1]["top"][0]["id"]);
    EXPECT_NEAR(patched_others[1]["top"][0]["rank"].get<double>(),
                merged_others[1]["top"][0]["rank"].get<double>(), 1e-9);
    EXPECT_NEAR(patched_others[2]["modularity"].get<double>(), merged_others[2]["modularity"].get<double>(),
                0.05);
    EXPECT_NEAR(patched_others[4]["average_clustering"].get<double>(),
                merged_others[4]["average_clustering"].get<double>(), 1e-9);
    // As a graph that is made of the list has it; but its edges are in another order.
    ok({"graph", "freeze", store, "--rebuild"});
    const std::vector<std::string> rebuilt = answers();
    for (std::size_t i = 0; i < exact.size(); ++i)
      if (exact[i][0] != "ktruss") {
        EXPECT_EQ(patched[i], rebuilt[i]) << exact[i][0];
      }
  }
}

TEST_F(GraphAnalysis, MergesAPatchThatIsLarge) {
  const std::string store = path("s");
  std::mt19937_64 random(2);
  const auto add = [&](int count) {
    ok({"graph", "ingest", store, dir_.write("added.txt", random_edges(random, count, 400)).string()});
  };
  add(4000);
  ok({"graph", "freeze", store});
  add(1500);
  nlohmann::json frozen = ok_json({"graph", "freeze", store});
  EXPECT_EQ(frozen["done"], "patched");
  EXPECT_EQ(frozen["patch_arcs"], 1500);
  // With these it has more than a quarter of the 4000, and 1024.
  add(600);
  frozen = ok_json({"graph", "freeze", store});
  EXPECT_EQ(frozen["done"], "kept");
  EXPECT_EQ(frozen["patch_arcs"], 0);
  EXPECT_EQ(frozen["arcs"], 6100);
  EXPECT_EQ(ok_json({"graph", "cc", store, "--check"})["index_seconds"], 0);
}

TEST_F(GraphAnalysis, ListsWhatAPatchHolds) {
  const std::string store = path("s");
  ok({"graph", "ingest", store, dir_.write("first.txt", "1 2\n2 3\n").string()});
  ok({"graph", "freeze", store});
  const auto patch = [&] { return ok_json({"ls", store, "graph.csr.patch"})["object"]; };
  const nlohmann::json empty = patch();
  EXPECT_EQ(empty["values"][0]["arcs"], 0);
  ok({"graph", "ingest", store, dir_.write("second.txt", "3 70\n1 3\n").string()});
  ok({"graph", "freeze", store});
  const nlohmann::json full = patch();
  EXPECT_EQ(full["values"][0]["arcs"], 2);
  EXPECT_EQ(full["values"][0]["of_vertices"], 3);
  EXPECT_EQ(full["values"][0]["of_arcs"], 2);
  EXPECT_EQ(full["values"][0]["added"], (nlohmann::json{70}));
  EXPECT_GT(full["reachable_bytes"], empty["reachable_bytes"]);
  ok({"verify", store});
}

/// What a CSR holds, array by array.
std::string arrays_of(const std::string& store, const std::string& name) {
  perdure::manager opened(perdure::open_read_only, store);
  const graph::csr_view view = opened.find<graph::stored_csr>(name.c_str()).first->view();
  std::string all;
  const auto add = [&all](const auto& array) {
    all.append(reinterpret_cast<const char*>(array.data()), array.size_bytes());
    all += '|';
  };
  add(view.offsets);
  add(view.targets);
  add(view.in_offsets);
  add(view.in_targets);
  add(view.ids);
  add(view.by_id);
  add(view.arc_weights);
  return all;
}

TEST_F(GraphAnalysis, GoesOnWithABuildThatWasKilled) {
  std::string text;
  std::mt19937_64 random(5);
  for (int i = 0; i < 60000; ++i)
    text += std::to_string(random() % 3000 * 7) + " " + std::to_string(random() % 3000 * 7) + " " +
            std::to_string(random() % 100) + "\n";
  const std::string edges = dir_.write("killed.txt", text).string();
  for (const std::string order : {"id", "degree"}) {
    const std::string whole = path("whole-" + order);
    const std::string store = path("by-" + order);
    ok({"graph", "build", whole, edges, "--order", order});
    const std::string expected = arrays_of(whole, "graph");

    const arguments command{"graph", "build",    store,    edges,       "--order",
                            order,   "--budget", "200KiB", "--threads", "2"};
    arguments program{perdure::test::perdure_program()};
    program.insert(program.end(), command.begin(), command.end());
    const auto build_with_kills = [&](unsigned most_microseconds) {
      for (unsigned kills = 0;; ++kills) {
        if (kills == 20) {
          ok(command);
          return kills;
        }
        perdure::test::process running(program);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % most_microseconds));
        running.kill();
        const perdure::test::outcome o = running.wait();
        if (o.status == 0) return kills;
        EXPECT_EQ(o.status, -SIGKILL) << o.err;
        if (o.status != -SIGKILL) return kills;
      }
    };
    // Where the machine was too fast to kill it, or too busy to do so in time, once more, and earlier.
    unsigned kills = build_with_kills(65000);
    for (unsigned most_microseconds = 32000; kills == 0 && most_microseconds > 0; most_microseconds /= 2) {
      std::filesystem::remove_all(store);
      kills = build_with_kills(most_microseconds);
    }
    EXPECT_GT(kills, 0U);
    EXPECT_EQ(arrays_of(store, "graph"), expected) << order;
    EXPECT_EQ(ok_json({"ls", store})["objects"].size(), 1U);
    EXPECT_EQ(ok_json(command)["was_built"], true);
    EXPECT_EQ(ok_json({"graph", "cc", store, "--check"})["is_right"], true);
  }
}

TEST_F(GraphAnalysis, AppendsABucketAnIteration) {
  const std::string store = path("s");
  const std::string events =
      dir_.write("t", "1 2 0\n2 3 2678399\n3 4 2678400\n4 1 5097600\n1 5 100\n").string();
  const nlohmann::json all = ok_json({"graph", "append", store, events, "--time-column", "3", "--bucket",
                                      "month", "--plot", path("p.svg"), "--keep", "0"});
  ASSERT_EQ(all["buckets"].size(), 3U);
  EXPECT_EQ(all["buckets"][0]["bucket"], "1970-01");
  EXPECT_EQ(all["buckets"][0]["edges"], 3);
  EXPECT_EQ(all["buckets"][2]["bucket"], "1970-03");
  EXPECT_GE(all["fit"]["r2"], 0.0);
  EXPECT_LE(all["fit"]["r2"], 1.0);
  const auto all_seconds = [&](int i) {
    const nlohmann::json& one = all["buckets"][i];
    double sum = 0;
    for (const char* const part : {"open", "append", "checkpoint", "close"})
      sum += one[std::string(part) + "_seconds"].get<double>();
    return sum;
  };
  // Buckets of three, one and one edges: the line goes through the first, and the middle of the others.
  const double of_one = (all_seconds(1) + all_seconds(2)) / 2;
  EXPECT_NEAR(all["fit"]["seconds_per_edge"], (all_seconds(0) - of_one) / 2, 1e-9);
  EXPECT_NEAR(all["fit"]["seconds_fixed"], of_one - (all_seconds(0) - of_one) / 2, 1e-9);
  EXPECT_NE(text_of(path("p.svg")).find("all, as a line"), std::string::npos);
  EXPECT_EQ(text_of(path("p.svg")).substr(0, 4), "<svg");
  const nlohmann::json log = ok_json({"log", store});
  EXPECT_EQ(log["checkpoints"].back()["label"], "1970-03");
  EXPECT_EQ(ok_json({"graph", "info", store})["edges"], 5);
  EXPECT_NE(ok({"graph", "append", store, events, "--time-column", "3", "--bucket", "day"})
                .find("nothing was done"),
            std::string::npos);
  const auto first_bucket = [&](const std::string& kind, const std::string& line) {
    return ok_json({"graph", "append", path("b" + kind), dir_.write("b", line).string(), "--time-column", "3",
                    "--bucket", kind})["buckets"][0]["bucket"]
        .get<std::string>();
  };
  EXPECT_EQ(first_bucket("week", "1 2 2016-01-03\n"), "2015-W53");
  EXPECT_EQ(first_bucket("day", "1 2 2016-02-29\n"), "2016-02-29");
  EXPECT_EQ(first_bucket("3600", "1 2 7300\n"), "7200");
  fails({"graph", "append", store, events, "--bucket", "year"}, 2);
  EXPECT_NE(fails({"graph", "append", store, dir_.write("n", "1 2\n").string(), "--bucket", "day"})
                .find("--time-column"),
            std::string::npos);
  EXPECT_NE(fails({"graph", "info", store + "@1970-01"}).find("or never kept"), std::string::npos);
  EXPECT_NE(fails({"graph", "info", store + "@1971-01"}).find("no checkpoint has the label"),
            std::string::npos);
  const std::string named =
      dir_.write("n.csv", "from,to,date\nann,ben,2016-03-01\nben,cy,2016-04-01\n").string();
  ok({"graph", "append", path("named"), named, "--names", "--bucket", "month"});
  EXPECT_EQ(ok({"graph", "export", path("named"), "-o", "-"}), "ann\tben\t1456790400\nben\tcy\t1459468800\n");
}

TEST_F(GraphAnalysis, AppendsWithEveryBackingThatMaps) {
  const std::string events = dir_.write("t", "1 2 0\n2 3 2678399\n3 4 2678400\n4 1 5097600\n").string();
  const auto append = [&](const std::string& store, arguments more) {
    arguments all{"graph", "append", path(store), events, "--time-column", "3", "--bucket", "month"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::string expected = "1\t2\t0\n2\t3\t2678399\n3\t4\t2678400\n4\t1\t5097600\n";
  for (const arguments& how : {arguments{"--backing", "private"},
                               {"--backing", "paged", "--budget", "1MiB"},
                               {"--budget", "1MiB"},
                               {"--backing", "shared"}}) {
    const std::string name = how.back() + std::to_string(how.size());
    const nlohmann::json done = ok_json(append(name, how));
    EXPECT_EQ(done["buckets"].size(), 3U);
    EXPECT_EQ(done["backing"], how.back() == "1MiB" ? "paged" : how.back());
    EXPECT_EQ(ok({"graph", "export", path(name), "-o", "-"}), expected);
    EXPECT_EQ(ok_json(append(name, how))["was_complete"], true);
    ok({"verify", path(name)});
  }
  const nlohmann::json shared = ok_json(append("again", {"--backing", "shared"}));
  EXPECT_EQ(shared["kept"], false);
  EXPECT_EQ(shared["why_not_kept"],
            "checkpoints of a shared mapping have no labels; without --backing shared buckets can be kept");
  EXPECT_NE(fails(append("x", {"--backing", "shared", "--budget", "1MiB"}), 2).find("for --backing paged"),
            std::string::npos);
  fails(append("x", {"--backing", "fast"}), 2);
}

TEST_F(GraphAnalysis, ListsWhatVerticesAndEdgesHaveBeside) {
  const std::string store = store_with({"web.csr"});
  EXPECT_EQ(ok({"graph", "properties", store}), "no properties\n");
  {
    perdure::manager made(perdure::open_only, store);
    perdure::array_store arrays(made);
    graph::properties of_web(arrays, "web.csr", made.find<graph::stored_csr>("web.csr").first->view());
    of_web.set_vertices<float>("rank", std::vector<float>{5, 4, 3, 2, 0.5F});
    of_web.set_edges<std::int64_t>("since", std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9});
    made.close();
  }
  const nlohmann::json columns = ok_json({"graph", "properties", store});
  EXPECT_EQ(columns["graph"], "web.csr");
  const auto column = [](const char* name, const char* dtype, int count, const char* object, bool is_array) {
    return nlohmann::json{
        {"name", name}, {"dtype", dtype}, {"count", count}, {"object", object}, {"is_array", is_array}};
  };
  EXPECT_EQ(columns["vertex_properties"],
            nlohmann::json::array({column("rank", "float32", 5, "web.csr/vertices/rank", true)}));
  EXPECT_EQ(columns["edge_properties"],
            nlohmann::json::array({column("since", "int64", 9, "web.csr/edges/since", true)}));
  const std::string text = ok({"graph", "properties", store});
  EXPECT_EQ(text.substr(0, text.find(' ')), "vertex");
  EXPECT_NE(text.find("int64  9  array web.csr/edges/since\n"), std::string::npos) << text;
  // What reads arrays sees them.
  const nlohmann::json arrays = ok_json({"array", "ls", store})["arrays"];
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[0]["id"], "web.csr/edges/since");
  EXPECT_EQ(arrays[0]["dtype"], "int64");
  EXPECT_EQ(arrays[1]["id"], "web.csr/vertices/rank");
  EXPECT_EQ(arrays[1]["shape"], nlohmann::json{5});
  EXPECT_EQ(ok({"array", "dump", store + ":web.csr/vertices/rank"}), "5 4 3 2 0.5\n");

  // Of a list: what `ingest` keeps of the input.
  const std::string list = path("list");
  ok({"graph", "ingest", list, dir_.write("in.csv", "source,target,weight,time\na,b,2,7\nb,c,3,8\n").string(),
      "--names"});
  const nlohmann::json of_list = ok_json({"graph", "properties", list});
  EXPECT_EQ(of_list["vertex_properties"],
            nlohmann::json::array({column("name", "string", 3, "graph.names", false)}));
  EXPECT_EQ(of_list["edge_properties"],
            nlohmann::json::array({column("weight", "float64", 2, "graph.weights", false),
                                   column("time", "float64", 2, "graph.times", false)}));
}

TEST_F(GraphAnalysis, CallsVerticesByTheirNames) {
  const std::string store = path("named");
  const std::string friends =
      dir_.write("friends.csv", "source,target\nann,ben\nben,\"cy, \"\"the\"\" 3rd\"\n3,ann\n2,2\n").string();
  ok({"graph", "ingest", store, friends, "--names", "--undirected"});
  // ann is 0, ben 1, cy 2, "3" is 3, and "2" is 4.
  const std::string cy = "cy, \"the\" 3rd";
  const nlohmann::json bfs = ok_json({"graph", "bfs", store, "--source", "ben", "-o", path("bfs.csv")});
  EXPECT_EQ(bfs["source"], 1);
  EXPECT_EQ(bfs["source_name"], "ben");
  EXPECT_EQ(bfs["levels"], (nlohmann::json{1, 2, 1}));
  EXPECT_EQ(text_of(path("bfs.csv")),
            "id,name,level,parent,parent_name\n0,ann,1,1,ben\n1,ben,0,1,ben\n"
            "2,\"cy, \"\"the\"\" 3rd\",1,1,ben\n3,3,2,0,ann\n");
  // A name comes before an id; an id that is no name is one.
  EXPECT_EQ(ok_json({"graph", "sssp", store, "--source", "2"})["source"], 4);
  EXPECT_EQ(ok_json({"graph", "sssp", store, "--source", "0"})["source_name"], "ann");
  const nlohmann::json found = ok_json({"graph", "path", store, "--source", cy, "--target", "3"});
  EXPECT_EQ(found["path"], (nlohmann::json{2, 1, 0, 3}));
  EXPECT_EQ(found["path_names"], (nlohmann::json{cy, "ben", "ann", "3"}));
  EXPECT_NE(ok({"graph", "path", store, "--source", "3", "--target", "ben"}).find("3 ann ben\n"),
            std::string::npos);
  const nlohmann::json around = ok_json({"graph", "neighbours", store, "ann", "-o", path("around.csv")});
  EXPECT_EQ(around["vertex"], 0);
  EXPECT_EQ(around["vertex_name"], "ann");
  EXPECT_EQ(around["neighbour_names"], (nlohmann::json{"ben", "3"}));
  EXPECT_EQ(text_of(path("around.csv")), "id,name,hops\n1,ben,1\n3,3,1\n");
  EXPECT_EQ(ok_json({"graph", "pagerank", store, "--top", "1"})["top"][0]["name"], "ann");
  EXPECT_EQ(ok_json({"graph", "info", store, "--top", "1"})["top"][0]["name"], "ann");
  EXPECT_NE(fails({"graph", "bfs", store, "--source", "dan"}).find("vertex dan is not in the graph"),
            std::string::npos);
  EXPECT_NE(fails({"graph", "bfs", store, "--source", "5"}).find("vertex 5 is not in the graph"),
            std::string::npos);
  // Frozen, and in files without a line of names, as before.
  ok({"graph", "freeze", store});
  EXPECT_EQ(ok({"graph", "bfs", store, "--source", "ben", "-o", "-"}),
            "0\t1\t1\n1\t0\t1\n2\t1\t1\n3\t2\t0\n");
  ok({"graph", "ktruss", store, "-o", path("t.csv")});
  EXPECT_EQ(text_of(path("t.csv")).substr(0, 59),
            "source,source_name,target,target_name,truss\n0,ann,1,ben,2\n0");
}

// Edges of buckets of ten seconds, some of them empty, in the order of their times or not; a line each.
std::vector<std::string> events_of(unsigned buckets, unsigned a_bucket, bool in_order) {
  std::vector<std::string> lines;
  perdure::random_stream random(7, 1);
  for (unsigned bucket = 0; bucket < buckets; ++bucket)
    for (unsigned i = 0; i < (bucket % 7 == 3 ? 0 : a_bucket); ++i)
      lines.push_back(std::to_string(random.below(200)) + ' ' + std::to_string(random.below(200)) + ' ' +
                      std::to_string(bucket * 10 + random.below(10)) + '\n');
  if (!in_order)
    for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& one : lines) text += one;
  return text;
}

unsigned bucket_of(const std::string& event) {
  return static_cast<unsigned>(std::stoul(event.substr(event.rfind(' ') + 1))) / 10;
}

// Runs the command and kills it when it has told of fewer than `most_lines` buckets, until it comes to its
// end. Returns how often it was killed before that.
unsigned run_with_kills(const std::vector<std::string>& command, unsigned most_kills,
                        unsigned most_lines = 12) {
  perdure::random_stream random(11, most_kills);
  for (unsigned kills = 0;; ++kills) {
    perdure::test::process running(command);
    const auto wanted = static_cast<std::ptrdiff_t>(kills < most_kills ? random.below(most_lines) : 1000000);
    while (!running.has_ended()) {
      const std::string seen = running.output_so_far();
      if (std::count(seen.begin(), seen.end(), '\n') >= wanted) running.kill();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const perdure::test::outcome o = running.wait();
    if (o.status == 0) return kills;
    EXPECT_EQ(o.status, -SIGKILL) << o.err;
    if (o.status != -SIGKILL) return kills;
  }
}

TEST_F(GraphAnalysis, KeepsTheNamesThatFormatsHave) {
  const std::vector<std::filesystem::path> files{
      dir_.write("a.graphml",
                 "<graphml><graph edgedefault='undirected'><node id='x'/><node id='y'/><node id='z'/><edge "
                 "source='y' target='z'/></graph></graphml>"),
      dir_.write(
          "a.gexf",
          "<gexf><graph><nodes><node id='x'/><node id='y'/><node id='z'/></nodes><edges><edge source='y' "
          "target='z'/></edges></graph></gexf>"),
      dir_.write(
          "a.gml",
          "graph [ node [ id 1 label \"x\" ] node [ id 2 label \"y\" ] node [ id 3 label \"z\" ] edge [ "
          "source 2 target 3 ] ]\n"),
      dir_.write("a.net", "*Vertices 3\n1 \"x\"\n2 \"y\"\n3 \"z\"\n*Edges\n2 3\n")};
  for (const auto& file : files) {
    for (const char* verb : {"ingest", "build"}) {
      const std::string store = path(std::string(verb) + file.extension().string());
      ok({"graph", verb, store, file.string(), "--names"});
      const nlohmann::json bfs = ok_json({"graph", "bfs", store, "--source", "y"});
      EXPECT_EQ(bfs["source_name"], "y") << file;
      EXPECT_EQ(bfs["reached"], 2) << file;
      EXPECT_EQ(bfs["vertices"], 3) << file;
    }
  }
  // Given again, it is the same graph; without names another.
  const std::string store = path("build.gml");
  const std::string gml = (dir_ / "a.gml").string();
  EXPECT_EQ(ok_json({"graph", "build", store, gml, "--names"})["was_built"], true);
  EXPECT_NE(fails({"graph", "build", store, gml}).find("not the graph of these files"), std::string::npos);
}

TEST_F(GraphAnalysis, KeepsAttributesAsProperties) {
  const std::string gml = dir_.write("a.gml",
                                     "graph [ node [ id 1 age 7 size 1 big 9007199254740993 ] node [ id 2 "
                                     "age 9 colour \"red\" ] edge [ "
                                     "source 1 target 2 kind 3 time 5 shape [ x 1 ] ] ]\n")
                              .string();
  const std::string store = path("store");
  const perdure::test::outcome built =
      perdure::test::perdure_run({"graph", "build", store, gml, "--attributes", "--json"});
  EXPECT_EQ(built.status, 0) << built.err;
  EXPECT_NE(built.err.find("a.gml: not kept: shape\n"), std::string::npos) << built.err;
  EXPECT_EQ(built.err.find("times"), std::string::npos) << built.err;
  EXPECT_EQ(nlohmann::json::parse(built.out)["edge_attributes"], (nlohmann::json{"kind", "time"}));
  EXPECT_EQ(nlohmann::json::parse(built.out)["attributes"], (nlohmann::json{"age", "big", "colour", "size"}));
  perdure::manager opened(perdure::open_read_only, store);
  const perdure::array_store arrays(opened);
  EXPECT_EQ(arrays.load<std::vector<std::int64_t>>("graph/vertices/age"), (std::vector<std::int64_t>{7, 9}));
  const auto sizes = arrays.load<std::vector<double>>("graph/vertices/size");
  EXPECT_EQ(sizes[0], 1);
  EXPECT_TRUE(std::isnan(sizes[1]));
  EXPECT_EQ(arrays.load<std::vector<std::string>>("graph/vertices/colour"),
            (std::vector<std::string>{"", "red"}));
  EXPECT_EQ(arrays.load<std::vector<std::string>>("graph/vertices/big"),
            (std::vector<std::string>{"9007199254740993", ""}));
  EXPECT_EQ(arrays.load<std::vector<std::int64_t>>("graph/edges/kind"), (std::vector<std::int64_t>{3, 3}));

  const std::string without = path("without");
  const perdure::test::outcome left = perdure::test::perdure_run({"graph", "build", without, gml});
  EXPECT_NE(left.err.find("not kept: age, size, big, colour, kind, shape\n"), std::string::npos) << left.err;
  EXPECT_NE(left.err.find("graph: not kept: times of edges"), std::string::npos) << left.err;

  const perdure::test::outcome exported =
      perdure::test::perdure_run({"graph", "export", store, "-o", path("a.mtx")});
  EXPECT_NE(exported.err.find("not written: age of vertices, big of vertices, colour of vertices, size of "
                              "vertices, kind of edges, time of edges\n"),
            std::string::npos)
      << exported.err;
  EXPECT_EQ(ok_json({"graph", "export", store, "-o", path("a.graphml"), "--json"})["left_out"],
            nlohmann::json::array());
}

TEST_F(GraphAnalysis, KilledAppendsGoOnWhereTheyWere) {
  const perdure::scratch_directory fast(perdure::fast_directory());
  for (const bool in_order : {true, false}) {
    const std::string suffix = in_order ? ".sorted" : ".mixed";
    const std::vector<std::string> lines = events_of(60, 40, in_order);
    const std::string half = dir_.write("a", joined({lines.begin(), lines.begin() + 1000})).string();
    const std::string rest = dir_.write("b", joined({lines.begin() + 1000, lines.end()})).string();
    const auto append = [&](const std::string& name) -> arguments {
      return {"graph",  "append",   (fast / (name + suffix)).string(),
              half,     rest,       "--time-column",
              "3",      "--bucket", "10",
              "--keep", "0"};
    };
    ok(append("whole"));
    arguments killed = append("killed");
    killed.insert(killed.begin(), perdure::test::perdure_program());
    // Where the machine was too busy to kill any of them in time, once more, and earlier: the last ones are
    // killed as soon as they are seen to run.
    unsigned kills = run_with_kills(killed, 6);
    for (unsigned most_lines = 8; kills == 0 && most_lines > 0; most_lines /= 2) {
      std::filesystem::remove_all(fast / ("killed" + suffix));
      kills = run_with_kills(killed, 6, most_lines);
    }
    EXPECT_GT(kills, 0U);
    const auto edges = [&](const std::string& name) {
      return ok({"graph", "export", (fast / (name + suffix)).string(), "-o", "-"});
    };
    EXPECT_EQ(edges("killed"), edges("whole"));
    // A bucket that was durable when the command was killed is not made a second time.
    std::vector<std::string> labels;
    const nlohmann::json log = ok_json({"log", (fast / ("killed" + suffix)).string()});
    for (const auto& one : log["checkpoints"])
      if (one.contains("label") && one["label"] != "") labels.push_back(one["label"]);
    EXPECT_EQ(std::adjacent_find(labels.begin(), labels.end()), labels.end());
    EXPECT_EQ(labels.back(), "580");  // the last one is empty
    EXPECT_EQ(ok_json(append("killed"))["was_complete"], true);
  }
}

TEST_F(GraphAnalysis, InterruptedAppendsGoOnOnlyWithTheSameTimes) {
  const std::string store = path("s");
  const std::string events = dir_.write("t", "1 2 0 50\n2 3 10 40\n3 4 20 30\n4 5 30 5\n").string();
  const arguments append{"graph", "append", store, events, "--bucket", "10", "--keep", "0"};
  const auto with_times = [&](const char* column) {
    arguments a = append;
    a.insert(a.end(), {"--time-column", column, "--json"});
    return a;
  };
  // The command says of either column that it is not kept.
  const auto done = [&] {
    const perdure::test::outcome o = perdure::test::perdure_run(with_times("3"));
    EXPECT_EQ(o.status, 0) << o.err;
    return nlohmann::json::parse(o.out);
  };
  {
    // As a command that was killed behind the second bucket leaves it.
    done();
    perdure::manager made(perdure::open_only, store);
    std::string files = *made.attribute("graph", "ingested files");
    files.replace(files.find("whole"), 5, "until=10,2");
    made.set_attribute("graph", "ingested files", files);
    made.close();
  }
  EXPECT_NE(fails(with_times("4")).find("give the columns and options that it had"), std::string::npos);
  const nlohmann::json went_on = done();
  EXPECT_EQ(went_on["edges_already_there"], 2);
  EXPECT_EQ(went_on["edges"], 2);
  EXPECT_EQ(went_on["buckets"][0]["bucket"], "20");
}

TEST_F(GraphAnalysis, OpensEarlierBucketsAgain) {
  const perdure::loop_mount mount("xfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  const std::string store = (mount.path() / "s").string();
  const std::vector<std::string> lines = events_of(20, 60, true);
  const std::string events = dir_.write("events", joined(lines)).string();
  const unsigned kills = run_with_kills({perdure::test::perdure_program(), "graph", "append", store, events,
                                         "--time-column", "3", "--bucket", "10", "--undirected"},
                                        2);
  // A bucket whose program is killed between its commit and its copy stands, and is not kept.
  std::set<std::string> kept;
  std::size_t labelled = 0;
  const nlohmann::json log = ok_json({"log", store});
  for (const auto& one : log["checkpoints"]) {
    if (one["label"] == "") continue;
    ++labelled;
    if (one["kept"] == true) kept.insert(one["label"]);
  }
  EXPECT_GT(labelled, 15U);
  EXPECT_GE(kept.size() + kills, labelled);
  const std::string source = lines[0].substr(0, lines[0].find(' '));
  const auto answers = [&](const std::string& of) {
    nlohmann::json all;
    const nlohmann::json info = ok_json({"graph", "info", of});
    for (const char* const key : {"vertices", "edges", "self_loops", "stored_neighbours"})
      all[key] = info[key];
    all["levels"] = ok({"graph", "bfs", of, "--source", source, "--levels", "-"});
    all["components"] = ok_json({"graph", "cc", of})["components"];
    return all;
  };
  // Each bucket as a store that ends with it; of the one that a freeze came behind too.
  ok({"graph", "freeze", store});
  for (unsigned bucket = 0; bucket < 20; bucket += 4) {
    if (!kept.contains(std::to_string(bucket * 10))) continue;
    std::vector<std::string> until;
    for (const std::string& one : lines)
      if (bucket_of(one) <= bucket) until.push_back(one);
    const std::string plain = path("until" + std::to_string(bucket));
    ok({"graph", "ingest", plain, dir_.write("until", joined(until)).string(), "--time-column", "3",
        "--undirected"});
    EXPECT_EQ(answers(store + "@" + std::to_string(bucket * 10)), answers(plain)) << bucket;
  }
  EXPECT_EQ(ok_json({"graph", "info", store})["edges"], lines.size());
  // Only the last ones are kept, if told so.
  const std::string few = (mount.path() / "few").string();
  ok({"graph", "append", few, events, "--time-column", "3", "--bucket", "10", "--keep", "3"});
  EXPECT_EQ(ok_json({"graph", "info", few + "@190"})["edges"], lines.size());
  EXPECT_NE(fails({"graph", "info", few + "@0"}).find("does not keep the checkpoint \"0\""),
            std::string::npos);
}

}  // namespace
