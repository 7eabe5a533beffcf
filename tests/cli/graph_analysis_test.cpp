// What the commands that ask graphs something have in common, on graphs of either kind.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/edge_list.hpp>
#include <perdure/manager.hpp>

#include "support/program.hpp"
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
      graph::build_csr(*store.construct<graph::stored_csr>(name)(), *graph::open_edge_list(edges),
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

TEST_F(GraphAnalysis, CommonOptions) {
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

TEST_F(GraphAnalysis, ListsWhatACsrHolds) {
  const std::string store = store_with({"web.csr"});
  const nlohmann::json all = ok_json({"ls", store})["objects"][0];
  const nlohmann::json values = ok_json({"ls", store, "web.csr"})["object"]["values"][0];
  EXPECT_EQ(values["targets"], (nlohmann::json{1, 0, 1, 3, 4, 2, 4, 2, 3}));
  EXPECT_EQ(values["ids"], (nlohmann::json{7, 8, 10, 20, 30}));
  EXPECT_EQ(values["self_loops"], 1);
  EXPECT_GT(all["bytes"], 6 * 8 + 9 * 4 + 5 * 8);
}

}  // namespace
