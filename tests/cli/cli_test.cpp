#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <boost/container/vector.hpp>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <perdure/perdure.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "cli/small_set.hpp"
#include "support/data_files.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace {
using nlohmann::json;
using perdure::scratch_directory;
using perdure::test::data_file;
using perdure::test::make_small_set;
using perdure::test::outcome;
using perdure::test::perdure_program;
using perdure::test::perdure_run;
using perdure::test::perdure_run_to;
using perdure::test::process;

using arguments = std::vector<std::string>;

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Cli : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    return dir_.write(name, text).string();
  }

  // Runs a command that must succeed without a word on the error stream.
  std::string ok(const arguments& a) {
    const outcome o = perdure_run(a);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return o.out;
  }
  json ok_json(arguments a) {
    a.push_back("--json");
    return json::parse(ok(a));
  }
  // Runs a command that must fail with one line on the error stream and nothing else.
  std::string fails(const arguments& a, int status = 1) {
    const outcome o = perdure_run(a);
    EXPECT_EQ(o.status, status) << o.out << o.err;
    EXPECT_EQ(o.err.substr(0, 9), "perdure: ");
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_EQ(o.out, "");
    return o.err;
  }
  static void expect_part(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  // A directed graph of two parts: 10 → 20 → 30, 10 → 30, and 7 → 8, 8 → 8.
  std::string small_store() {
    ok({"graph", "ingest", path("small"),
        file("small.txt", "# two parts\n10\t20\n20 30\r\n10,30\n7 8\n8 8\n")});
    return path("small");
  }

  scratch_directory dir_;
};

TEST_F(Cli, EveryCommandHasHelp) {
  EXPECT_EQ(ok({"--version"}), "perdure 0.1.0\n");
  expect_part(ok({"--help"}), "graph");
  for (const arguments& command : {arguments{"info"},
                                   {"ls"},
                                   {"report"},
                                   {"graph"},
                                   {"graph", "generate"},
                                   {"graph", "generate", "rmat"},
                                   {"graph", "generate", "rgg"},
                                   {"graph", "ingest"},
                                   {"graph", "info"},
                                   {"graph", "bfs"},
                                   {"graph", "pagerank"},
                                   {"graph", "sssp"},
                                   {"graph", "tc"},
                                   {"graph", "clustering"},
                                   {"graph", "scc"},
                                   {"graph", "kcore"},
                                   {"graph", "ktruss"},
                                   {"graph", "louvain"},
                                   {"graph", "lpa"},
                                   {"graph", "bc"},
                                   {"graph", "path"},
                                   {"graph", "neighbours"},
                                   {"graph", "cc"},
                                   {"kmer"},
                                   {"kmer", "add"},
                                   {"kmer", "build"},
                                   {"kmer", "classify"},
                                   {"kmer", "compact"},
                                   {"kmer", "dump"},
                                   {"kmer", "generate"},
                                   {"kmer", "lookup"},
                                   {"kmer", "merge"},
                                   {"kmer", "remove"},
                                   {"kmer", "stats"}}) {
    arguments a = command;
    a.push_back("--help");
    const std::string help = ok(a);
    expect_part(help, "Usage:");
    expect_part(help, "perdure");
  }
}

TEST_F(Cli, HelpListsEveryCommand) {
  const auto expect_all = [](const std::string& help, const std::vector<std::string>& names) {
    for (const std::string& name : names) expect_part(help, "\n  " + name + ' ');
  };
  const std::string all = ok({"--help"});
  expect_all(all, {"info", "ls", "log", "verify", "repair", "repartition", "copy", "diff", "report", "rm",
                   "stage", "doctor", "top", "graph", "kmer", "array"});
  expect_part(all, "--json");
  EXPECT_EQ(ok({"-h"}), all);
  const std::string of_graphs = ok({"graph", "--help"});
  expect_all(of_graphs, {"generate", "ingest", "build", "append", "freeze", "export", "convert", "info",
                         "bfs", "pagerank", "sssp", "cc", "scc", "tc", "kcore", "path", "neighbours"});
  expect_part(of_graphs, "--json");
  EXPECT_EQ(ok({"graph", "-h"}), of_graphs);
  EXPECT_EQ(ok({"graph", "bfs", "--help"}).find("pagerank"), std::string::npos);
}

TEST_F(Cli, WrongCommandLinesAreRefused) {
  for (const arguments& a : {arguments{},
                             {"frobnicate"},
                             {"graph"},
                             {"info"},
                             {"ls", "x", "--frobnicate"},
                             {"graph", "generate", "rmat", "-o", "x"},
                             {"graph", "generate", "rmat", "--scale", "0", "-o", "x"},
                             {"graph", "generate", "rmat", "--scale", "49", "-o", "x"},
                             {"graph", "generate", "rmat", "--scale", "ten", "-o", "x"},
                             {"graph", "generate", "rmat", "--scale", "-3", "-o", "x"},
                             {"graph", "generate", "rmat", "--scale", "3", "--edge-factor", "0", "-o", "x"},
                             {"graph", "generate", "rmat", "--scale", "3", "--threads", "0", "-o", "x"},
                             {"graph", "generate", "rmat", "--scale", "3", "--threads", "99999", "-o", "x"},
                             {"graph", "generate", "rmat", "--scale", "3", "--format", "xml", "-o", "x"},
                             {"graph", "generate", "rmat", "--scale", "3", "-o", path("x.gz")},
                             {"graph", "generate", "rgg", "-o", "x"},
                             {"graph", "generate", "rgg", "--vertices", "0", "-o", "x"},
                             {"graph", "generate", "rgg", "--vertices", "9", "--degree", "-1", "-o", "x"},
                             {"graph", "ingest", path("s")},
                             {"graph", "ingest", path("s"), "--rmat-scale", "3", "--checkpoint-every", "0"},
                             {"log", path("s"), "--last", "-1"},
                             {"log", path("s"), "--last", "0"},
                             {"graph", "bfs", path("s")}})
    fails(a, 2);
  // An option that is given has a value.
  for (const std::vector<std::string>& a :
       {std::vector<std::string>{"graph", "cc", path("s"), "--output", ""},
        {"graph", "cc", path("s"), "--store-as", ""},
        {"graph", "ingest", path("s"), path("f"), "--weight-column", ""},
        {"kmer", "stats", path("s"), "--name", ""},
        {"kmer", "remove", path("s"), "--genomes", ""}})
    expect_part(fails(a, 2), a[a.size() - 2] + ": it is empty");
  const std::string store = small_store();
  for (const char* const none : {"-1", "18446744073709551616", "one", ""})
    fails({"graph", "bfs", store, "--source", none}, 2);
  const auto with_capacity = [&](const char* capacity) {
    return fails({"graph", "ingest", path("s"), "--rmat-scale", "3", "--capacity", capacity}, 2);
  };
  expect_part(with_capacity("1KiB"), "--capacity is at least 64KiB, not 1.0 KiB");
  expect_part(with_capacity("0"), "--capacity is at least 64KiB, not 0 bytes");
  for (const char* const none : {"-1", "1.5GiB", "16EiB", "1 kmB", "GiB", "1GiB2"})
    expect_part(with_capacity(none), "'" + std::string(none) + "' is no number of bytes, as 64GiB");
  EXPECT_FALSE(std::filesystem::exists("x"));
  EXPECT_FALSE(std::filesystem::exists(path("s")));
}

TEST_F(Cli, AStoreHoldsNoMoreThanItsCapacity) {
  ok({"graph", "ingest", path("small"), "--rmat-scale", "3", "--capacity", "3MiB"});
  EXPECT_EQ(ok_json({"info", path("small")})["capacity"], 3 << 20);
  expect_part(fails({"graph", "ingest", path("large"), "--rmat-scale", "18", "--capacity", "3MiB"}, 1),
              "give it more capacity (--capacity when it is made)");
}

// The kernel's SIGXFSZ would end the program without a word.
TEST_F(Cli, ALimitOnFileSizesIsAnError) {
  const std::string limited = "ulimit -c 0; ulimit -f 2000; ";
  const auto run = [&](const std::string& command) {
    process shell({"/bin/sh", "-c", limited + "exec " + perdure_program() + " " + command});
    return shell.wait();
  };
  const outcome ingested = run("graph ingest " + path("s") + " --rmat-scale 16");
  EXPECT_EQ(ingested.status, 1) << ingested.err;
  expect_part(ingested.err, "the limit on file sizes (`ulimit -f`");
  for (const std::string& to : {path("edges.txt"), path("edges.bin"), "- >" + path("printed.txt")}) {
    const outcome generated = run("graph generate rmat --scale 16 -o " + to);
    EXPECT_EQ(generated.status, 1) << to << generated.err;
    expect_part(generated.err, "File too large");
  }
}

TEST_F(Cli, GeneratesRandomGeometricGraphs) {
  const auto generate = [&](const std::string& name, arguments more) {
    arguments a{"graph", "generate", "rgg", "--vertices", "30000", "-o", path(name)};
    a.insert(a.end(), more.begin(), more.end());
    return ok_json(a);
  };
  const json report = generate("a.txt", {"--threads", "1"});
  const std::string text = content(path("a.txt"));
  EXPECT_EQ(report["vertices"], 30000);
  EXPECT_EQ(report["edges"], std::count(text.begin(), text.end(), '\n'));
  generate("b.txt", {"--threads", "3"});
  EXPECT_EQ(content(path("b.txt")), text);
  generate("c.txt", {"--seed", "6"});
  EXPECT_NE(content(path("c.txt")), text);
  EXPECT_EQ(generate("d.bin", {"--scramble"})["edges"], report["edges"]);
  EXPECT_GT(generate("e.bin", {"--degree", "20"})["edges"], report["edges"]);
  expect_part(fails({"graph", "generate", "rgg", "--vertices", "9", "--degree", "50", "-o", path("f")}, 1),
              "a mean degree of 50");
  EXPECT_FALSE(std::filesystem::exists(path("f")));
}

TEST_F(Cli, GenerateIsDeterministic) {
  const arguments base{"graph", "generate", "rmat", "--scale", "10", "--edge-factor", "8", "-o"};
  auto generate = [&](const std::string& name, arguments more) {
    arguments a = base;
    a.push_back(path(name));
    a.insert(a.end(), more.begin(), more.end());
    expect_part(ok(a), "wrote 8,192 edges");
    return content(path(name));
  };
  const std::string text = generate("a.txt", {"--threads", "1"});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8192);
  EXPECT_EQ(generate("b.txt", {"--threads", "3"}), text);
  EXPECT_NE(generate("c.txt", {"--seed", "6"}), text);
  EXPECT_EQ(generate("d.bin", {}).size(), 8192u * 16);
  EXPECT_EQ(generate("e.dat", {"--format", "binary"}), content(path("d.bin")));

  arguments to_standard_output = base;
  to_standard_output.push_back("-");
  EXPECT_EQ(ok(to_standard_output), text);

  // Text and binary hold the same graph.
  ok({"graph", "ingest", path("s"), path("a.txt")});
  ok({"graph", "ingest", path("t"), path("d.bin")});
  EXPECT_EQ(ok({"graph", "cc", path("s"), "--labels", "-"}), ok({"graph", "cc", path("t"), "--labels", "-"}));

  const json report = ok_json({"graph", "generate", "rmat", "--scale", "4", "-o", path("f.txt")});
  EXPECT_EQ(report["vertices"], 16);
  EXPECT_EQ(report["edges"], 256);
  EXPECT_EQ(
      json::parse(ok({"graph", "generate", "--json", "rmat", "--scale", "4", "-o", path("g.txt")}))["edges"],
      256);
  EXPECT_EQ(report["bytes"], std::filesystem::file_size(path("f.txt")));
}

TEST_F(Cli, AnIngestedGraphAnswersQueries) {
  const std::string store = path("g");
  const std::string edges = file("g.txt", "# two parts\n10\t20\n20 30\r\n10,30\n7 8\n8 8\n");
  const std::string report = ok({"graph", "ingest", store, edges});
  expect_part(report, "5 edges");
  expect_part(report, "durable close");
  expect_part(report, "5 vertices, 5 edges, directed");

  const json info = ok_json({"graph", "info", store, "--top", "2"});
  EXPECT_EQ(info["vertices"], 5);
  EXPECT_EQ(info["edges"], 5);
  EXPECT_EQ(info["self_loops"], 1);
  EXPECT_EQ(info["undirected"], false);
  EXPECT_EQ(info["top"], (json{{{"id", 10}, {"neighbours", 2}}, {{"id", 7}, {"neighbours", 1}}}));
  expect_part(ok({"graph", "info", store}), "5 vertices, 5 edges, directed");

  const json bfs = ok_json({"graph", "bfs", store, "--source", "10", "--levels", path("levels")});
  EXPECT_EQ(bfs["reached"], 3);
  EXPECT_EQ(bfs["levels"], (json{1, 2}));
  EXPECT_EQ(content(path("levels")), "10 0\n20 1\n30 1\n");
  EXPECT_EQ(ok({"graph", "bfs", store, "--source", "20", "--levels", "-"}), "20 0\n30 1\n");
  expect_part(ok({"graph", "bfs", store, "--source", "10"}), "reached");

  const json cc = ok_json({"graph", "cc", store, "--labels", path("labels")});
  EXPECT_EQ(cc["components"], 2);
  EXPECT_EQ(cc["largest"], 3);
  EXPECT_EQ(content(path("labels")), "7 7\n8 7\n10 10\n20 10\n30 10\n");
  expect_part(ok({"graph", "cc", store}), "components     2 (weakly connected)");
}

TEST_F(Cli, IngestAddsToTheGraphThere) {
  const std::string store = path("g");
  ok({"graph", "ingest", store, file("a.txt", "1 2\n"), "--undirected"});
  const json report = ok_json({"graph", "ingest", store, file("b.txt", "2 3\n"), file("c.txt", "3 4\n")});
  EXPECT_EQ(report["created"], false);
  EXPECT_EQ(report["edges"], 2);
  EXPECT_EQ(report["graph_edges"], 3);
  EXPECT_EQ(report["undirected"], true);
  EXPECT_EQ(ok({"graph", "bfs", store, "--source", "4", "--levels", "-"}), "1 3\n2 2\n3 1\n4 0\n");

  ok({"graph", "ingest", path("d"), file("a.txt", "1 2\n")});
  expect_part(fails({"graph", "ingest", path("d"), file("a.txt", "1 2\n"), "--undirected"}), "is directed");
}

TEST_F(Cli, IngestDoesNotAddAFileTwiceUnasked) {
  const std::string store = path("g");
  const std::string edges = file("a.txt", "1 2\n2 3\n");
  expect_part(fails({"graph", "ingest", store, edges, edges}), "the graph has the edges of a.txt already");
  EXPECT_FALSE(std::filesystem::exists(store));
  ok({"graph", "ingest", store, edges});
  expect_part(fails({"graph", "ingest", store, edges}), "--append");
  // Whatever it is called.
  expect_part(fails({"graph", "ingest", store, file("b.txt", "5 6\n"), file("c.txt", "1 2\n2 3\n")}),
              "the graph has the edges of c.txt already, as a.txt");
  EXPECT_EQ(ok_json({"graph", "info", store})["edges"], 2);
  EXPECT_EQ(ok_json({"graph", "ingest", store, edges, "--append"})["graph_edges"], 4);
  EXPECT_EQ(ok_json({"graph", "ingest", store, file("a.txt", "1 2\n2 3\n3 4\n")})["graph_edges"], 7);
  // What is known is the file, not its edges; the help says so.
  ASSERT_EQ(process({"gzip", path("b.txt")}).wait().status, 0);
  EXPECT_EQ(ok_json({"graph", "ingest", path("h"), file("b.txt", "5 6\n")})["graph_edges"], 1);
  EXPECT_EQ(ok_json({"graph", "ingest", path("h"), path("b.txt.gz")})["graph_edges"], 2);
  expect_part(ok({"graph", "ingest", "--help"}), "compressed");
}

/// So many lines of a pipe are looked at before the first edge is added.
std::string eight_edges(const std::string& edge) {
  std::string lines;
  for (int i = 0; i < 8; ++i) lines += edge + '\n';
  return lines;
}

TEST_F(Cli, AnInterruptedIngestSaysWhatItLeaves) {
  {
    process writer({perdure_program(), "graph", "ingest", path("g"), "-"}, true);
    writer.write_input(eight_edges("1 2"));
    while (!std::filesystem::exists(path("g"))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    writer.interrupt();
    const outcome o = writer.wait();
    EXPECT_EQ(o.status, -SIGINT);
    EXPECT_EQ(o.err, "perdure: interrupted: " + path("g") + " was not made\n");
    EXPECT_FALSE(std::filesystem::exists(path("g")));
  }
  // With one thread: another would wait for more edges before the checkpoint.
  process writer(
      {perdure_program(), "graph", "ingest", path("g"), "-", "--checkpoint-every", "1", "--threads", "1"},
      true);
  writer.write_input(eight_edges("7 8"));
  while (writer.output_so_far().find("checkpoint") == std::string::npos && !writer.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  writer.interrupt();
  const outcome o = writer.wait();
  EXPECT_EQ(o.status, -SIGINT);
  expect_part(o.err, path("g") + " keeps its graph as of the last checkpoint: epoch 2, 8 edges\n");
  EXPECT_EQ(ok_json({"graph", "info", path("g")})["edges"], 8);
}

TEST_F(Cli, AnInterruptedIngestLeavesAStoreAsItWas) {
  const std::string store = small_store();
  const json before = ok_json({"graph", "info", store});
  const auto last_writer = [&] { return std::filesystem::last_write_time(store + "/LOCK"); };
  const auto earlier = last_writer();
  process writer({perdure_program(), "graph", "ingest", store, "-", "--json"}, true);
  writer.write_input(eight_edges("1 2"));
  // Until it has the store open. A command that looks would be a reader, and keep it out.
  while (last_writer() == earlier && !writer.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  writer.interrupt();
  const outcome o = writer.wait();
  EXPECT_EQ(o.status, -SIGINT);
  EXPECT_EQ(json::parse(o.out)["error"]["code"], "interrupted");
  EXPECT_EQ(o.err, "perdure: interrupted: " + store + " is as it was before\n");
  EXPECT_EQ(ok_json({"graph", "info", store})["epoch"], before["epoch"]);
}

TEST_F(Cli, IngestKeepsWeightsAndTimesAndTellsOfOtherColumns) {
  const std::string weighted = file("w.txt", "1 2 0.5\n2 3 0.25\n");
  EXPECT_EQ(ok_json({"graph", "ingest", path("g"), weighted})["weighted"], true);
  EXPECT_EQ(ok_json({"graph", "info", path("g")})["weighted"], true);
  // A file without weights adds edges that weigh 1.
  EXPECT_EQ(ok_json({"graph", "ingest", path("g"), file("u.txt", "7 8\n")})["weighted"], true);
  const json timed =
      ok_json({"graph", "ingest", path("t"), file("t.txt", "1 2 100\n"), "--time-column", "3"});
  EXPECT_EQ(timed["timed"], true);
  EXPECT_EQ(timed["weighted"], false);
  const outcome o = perdure_run({"graph", "ingest", path("x"), weighted, file("t.csv", "4,5,1,2\n")});
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(
      o.err,
      "perdure: t.csv: 1 further column is ignored (--weight-column and --time-column say what is kept)\n");
  const outcome as_json =
      perdure_run({"graph", "ingest", path("h"), weighted, "--weight-column", "none", "--json"});
  EXPECT_EQ(json::parse(as_json.out)["ignored_columns"], 1);
  EXPECT_EQ(ok_json({"graph", "ingest", path("i"), file("two.txt", "1 2 \n3\t4\t\r\n")})["ignored_columns"],
            0);
}

TEST_F(Cli, IngestTakesFormatsAsTheyAre) {
  const json report =
      ok_json({"graph", "ingest", path("m"),
               file("s", "%%MatrixMarket matrix coordinate real symmetric\n5 5 2\n2 1 7\n3 3 1\n")});
  EXPECT_EQ(report["files"][0]["format"], "mtx");
  EXPECT_EQ(report["undirected"], true);
  EXPECT_EQ(report["graph_vertices"], 5);
  EXPECT_EQ(report["graph_edges"], 2);
  expect_part(ok({"graph", "ingest", path("m"), file("d", "p sp 2 1\na 1 2 3\n")}),
              "d: DIMACS, arcs with lengths");
  // Both arcs of what has no direction.
  EXPECT_EQ(ok_json({"graph", "ingest", path("b"), path("s"), "--directed"})["graph_edges"], 3);
}

TEST_F(Cli, IngestMergesDuplicates) {
  const std::string edges = file("e", "1 2 5\n1 2 7\n3 1 1\n2 1 2\n");
  const auto kept = [&](const char* how, const char* kind) {
    const json report =
        ok_json({"graph", "ingest", path(std::string(how) + kind), edges, "--duplicates", how, kind});
    return report["graph_edges"].get<int>();
  };
  EXPECT_EQ(kept("keep", "--directed"), 4);
  EXPECT_EQ(kept("sum", "--directed"), 3);
  EXPECT_EQ(kept("last", "--undirected"), 2);
  expect_part(fails({"graph", "ingest", path("e1"), edges, "--duplicates", "error"}),
              "the edge from 1 to 2 is there several times");
  EXPECT_FALSE(std::filesystem::exists(path("e1")));
}

TEST_F(Cli, IngestKeepsNamesOfVertices) {
  const std::string friends = file("f.csv", "from,to\nann,ben\n\"carl x\",ann\n");
  expect_part(fails({"graph", "ingest", path("g"), friends}), "f.csv: line 2, column 1");
  ok({"graph", "ingest", path("g"), friends, "--names"});
  EXPECT_EQ(
      ok_json({"graph", "ingest", path("g"), file("g.csv", "ben,carl x\n"), "--names"})["graph_vertices"], 3);
  expect_part(fails({"graph", "ingest", path("g"), file("n", "1 2\n")}), "give --names");
  ok({"graph", "ingest", path("numbers"), path("n")});
  expect_part(fails({"graph", "ingest", path("numbers"), friends, "--names"}), "are numbers");
}

TEST_F(Cli, IngestRmatEqualsIngestOfTheGeneratedFile) {
  ok({"graph", "generate", "rmat", "--scale", "12", "--seed", "3", "-o", path("r.bin")});
  ok({"graph", "ingest", path("a"), path("r.bin"), "--undirected", "--threads", "1"});
  // Each of the threads may draw one of the four batches before it sees that it is time for a checkpoint.
  const json report = ok_json({"graph", "ingest", path("b"), "--rmat-scale", "12", "--seed", "3",
                               "--undirected", "--threads", "3", "--checkpoint-every", "10000"});
  EXPECT_EQ(report["edges"], 65536);
  EXPECT_GE(report["checkpoints"], 2);
  const json a = ok_json({"graph", "info", path("a"), "--top", "20"});
  const json b = ok_json({"graph", "info", path("b"), "--top", "20"});
  EXPECT_EQ(a["vertices"], b["vertices"]);
  EXPECT_EQ(a["top"], b["top"]);
  const std::string source = std::to_string(a["top"][0]["id"].get<std::uint64_t>());
  EXPECT_EQ(ok({"graph", "bfs", path("a"), "--source", source, "--levels", "-"}),
            ok({"graph", "bfs", path("b"), "--source", source, "--levels", "-"}));
}

TEST_F(Cli, MalformedInputNamesThePlaceAndChangesNothing) {
  const std::string bad = file("bad.txt", "1 2\n3 x\n4 5\n-6 7\n");
  const std::string message = fails({"graph", "ingest", path("new"), bad});
  expect_part(message, bad + ": line 2, column 3: ");
  EXPECT_FALSE(std::filesystem::exists(path("new")));

  const std::string store = small_store();
  const json before = ok_json({"graph", "info", store});
  fails({"graph", "ingest", store, bad});
  json after = ok_json({"graph", "info", store});
  EXPECT_EQ(after["edges"], before["edges"]);
  EXPECT_EQ(after["epoch"], before["epoch"]);

  const json report = ok_json({"graph", "ingest", store, bad, "--skip-bad-lines"});
  EXPECT_EQ(report["skipped_lines"], 2);
  EXPECT_EQ(report["edges"], 2);
  expect_part(ok({"graph", "ingest", store, bad, "--skip-bad-lines", "--append"}), "2 malformed lines");
}

TEST_F(Cli, MissingFilesAndStoresAreNamed) {
  expect_part(fails({"graph", "ingest", path("s"), path("absent.txt")}), "absent.txt");
  EXPECT_FALSE(std::filesystem::exists(path("s")));
  for (const arguments& a : {arguments{"info"}, {"ls"}, {"graph", "info"}, {"graph", "cc"}}) {
    arguments absent = a;
    absent.push_back(path("absent"));
    expect_part(fails(absent), "there is no datastore " + path("absent") + ": the path does not exist");
    arguments foreign = a;
    foreign.push_back(dir_.directory().string());
    expect_part(fails(foreign), dir_.directory().string());
  }
  expect_part(fails({"graph", "bfs", small_store(), "--source", "99"}), "vertex 99 is not in the graph");
  expect_part(fails({"graph", "ingest", file("plain", "x"), file("g.txt", "1 2\n")}), "plain");
}

TEST_F(Cli, FailuresAreReportedAsJson) {
  const outcome o = perdure_run({"graph", "info", path("absent"), "--json"});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.err.substr(0, 9), "perdure: ");
  const json failure = json::parse(o.out);
  EXPECT_EQ(failure["error"]["code"], "not_found");
  expect_part(failure["error"]["message"], path("absent"));
  EXPECT_EQ(
      json::parse(
          perdure_run({"graph", "bfs", small_store(), "--source", "99", "--json"}).out)["error"]["code"],
      "not_found");
  EXPECT_EQ(
      json::parse(
          perdure_run({"graph", "ingest", path("s"), file("b.txt", "1\n"), "--json"}).out)["error"]["code"],
      "bad_input");
}

TEST_F(Cli, WrongCommandLinesAreReportedAsJson) {
  const std::vector<std::pair<arguments, std::string>> wrong{
      {{"ls", "--json"}, "STORE is required"},
      {{"--json"}, "subcommand is required"},
      {{"--json", "--jsn"}, "'perdure' has no option '--jsn'"},
      {{"graph", "--json", "frobnicate"}, "'perdure graph' has no command 'frobnicate'"},
      {{"graph", "generate", "rmat", "--scale", "3", "-o", "-", "--json"}, "-o"},
      {{"graph", "bfs", path("s"), "--source", "0", "--levels", "-", "--json"}, "--levels"}};
  for (const auto& [line, part] : wrong) {
    const outcome o = perdure_run(line);
    EXPECT_EQ(o.status, 2) << o.err;
    const json failure = json::parse(o.out, nullptr, false);
    ASSERT_TRUE(failure.is_object()) << o.out;
    EXPECT_EQ(failure["error"]["code"], "usage");
    expect_part(failure["error"]["message"], part);
    EXPECT_EQ(o.err.substr(0, 9), "perdure: ");
  }
  // What is behind "--" is no option.
  EXPECT_EQ(perdure_run({"ls", "--", "--json", path("s"), "more"}).out, "");
}

/// The subcommands that a help names.
std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> names;
  std::istringstream lines(help.substr(std::min(help.find("\nCommands:\n"), help.size())));
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  // A line that begins with more blanks goes on with a description.
  while (std::getline(lines, line) && line.starts_with("  "))
    if (line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}

TEST_F(Cli, EveryCommandSpeaksJsonWithTheSameKeys) {
  struct row {
    arguments command;
    arguments given;
    std::string store;  // where one is named
    bool is_timed = false;
    bool tells_epoch = false;
    int status = 0;
    bool is_refused = false;
  };
  const std::string store = small_store();
  const std::string edges = file("more.txt", "30 40\n");
  const std::string in_arrays = path("arrays");
  const std::string set = path("set");
  make_small_set(set);
  const std::string genomes = path("genomes");
  const std::string bases = "ACGTTGCAAGCTTAGCCATGACTGATCGGCTAAGTCTACGGATTC";
  const std::string fasta = file("genomes.fa", ">kraken:taxid|1\n" + bases + "\n");
  const std::string exact = path("exact");
  const std::string other_fasta = file("other.fa", ">kraken:taxid|1|other\n" + bases.substr(5) + "\n");
  const std::string nodes = file("nodes.dmp", "1|1|no rank|\n");
  const std::string taxon_names = file("names.dmp", "1|root||scientific name|\n");
  const std::vector<row> rows{
      {{"info"}, {store}, store, false, true},
      {{"ls"}, {store}, store},
      {{"ls"}, {store, "graph"}, store},
      {{"log"}, {store}, store},
      {{"verify"}, {store}, store, true, true},
      {{"repair"}, {store}, store, true, true},
      {{"snapshot"}, {store, path("monday")}, "", true, true},
      {{"copy"}, {store, path("copy")}, "", true, true},
      {{"repartition"}, {set, "--parts", "2"}, set, true, true},
      {{"stage", "in"}, {store, path("fast")}, store, true, true},
      {{"graph", "ingest"}, {path("fast"), edges}, path("fast"), false, true},
      {{"graph", "build"}, {path("built"), edges}, path("built"), true, true},
      {{"stage", "out"}, {path("fast"), store}, store, true, true},
      {{"diff"}, {path("copy"), store}, "", true, false, 1},
      {{"report"}, {store}, store, true, true},
      {{"rm"}, {path("copy"), path("monday")}, ""},
      {{"doctor"}, {"--at", dir_.directory().string()}, ""},
      {{"top"}, {}, ""},
      {{"graph", "generate", "rmat"}, {"--scale", "3", "-o", path("e")}, "", true},
      {{"graph", "generate", "rgg"}, {"--vertices", "9", "-o", path("g")}, "", true},
      {{"graph", "info"}, {store}, store, false, true},
      {{"graph", "bfs"}, {store, "--source", "10"}, "", true},
      {{"graph", "stats"}, {store}, store, true},
      {{"graph", "properties"}, {store}, store},
      {{"graph", "freeze"}, {store}, store, true},
      {{"graph", "append"},
       {path("times"), file("times.txt", "1 2 5\n"), "--time-column", "3", "--bucket", "day"},
       path("times"),
       true,
       true},
      {{"graph", "export"}, {store, "-o", path("x")}, store, true},
      {{"graph", "convert"}, {path("x"), "-o", path("y")}, "", true},
      {{"graph", "pagerank"}, {store}, "", true},
      {{"graph", "sssp"}, {store, "--source", "10"}, "", true},
      {{"graph", "tc"}, {store}, "", true},
      {{"graph", "clustering"}, {store}, "", true},
      {{"graph", "cc"}, {store}, "", true},
      {{"graph", "scc"}, {store}, "", true},
      {{"graph", "kcore"}, {store}, "", true},
      {{"graph", "ktruss"}, {store}, "", true},
      {{"graph", "louvain"}, {store}, "", true},
      {{"graph", "lpa"}, {store}, "", true},
      {{"graph", "bc"}, {store}, "", true},
      {{"graph", "path"}, {store, "--source", "10", "--target", "30"}, "", true},
      {{"graph", "neighbours"}, {store, "10"}, "", true},
      {{"kmer", "build"},
       {genomes, "--genomes", fasta, "--taxonomy", nodes, taxon_names},
       genomes,
       true,
       true},
      {{"kmer", "classify"}, {genomes, fasta}, genomes, true, true},
      {{"kmer", "dump"}, {genomes, "-o", path("x")}, genomes, true, true},
      {{"kmer", "generate"}, {path("drawn"), "--taxa", "2", "--genome-bases", "200"}, "", true},
      {{"kmer", "lookup"}, {genomes, bases}, genomes, false, true},
      {{"kmer", "stats"}, {genomes}, genomes, false, true},
      {{"kmer", "add"}, {genomes, "--genomes", fasta}, genomes, true, true},
      {{"kmer", "compact"}, {genomes}, genomes, true, true},
      {{"kmer", "remove"}, {genomes, "--genomes", fasta}, "", false, false, 1, true},
      {{"kmer", "build"},
       {exact, "--index", "exact", "--genomes", fasta, "--taxonomy", nodes, taxon_names},
       exact,
       true,
       true},
      {{"kmer", "build"},
       {path("other"), "--index", "exact", "--genomes", other_fasta, "--taxonomy", nodes, taxon_names},
       path("other"),
       true,
       true},
      {{"kmer", "merge"}, {exact, path("other")}, exact, true, true},
      {{"kmer", "dump"}, {exact, "-o", path("x")}, exact, true, true},
      {{"kmer", "lookup"}, {exact, bases}, exact, false, true},
      {{"kmer", "stats"}, {exact}, exact, false, true},
      {{"kmer", "compact"}, {exact}, exact, true, true},
      {{"kmer", "remove"}, {exact, "--genomes", other_fasta}, exact, true, true},
      {{"array", "import"}, {in_arrays + ":t", file("t.csv", "1,2\n3,4\n")}, in_arrays, true},
      {{"array", "ls"}, {in_arrays}, in_arrays},
      {{"array", "stat"}, {in_arrays + ":t"}, ""},
      {{"array", "dump"}, {in_arrays + ":t"}, ""},
      {{"array", "export"}, {in_arrays + ":t", path("t.npy")}, in_arrays, true},
      {{"array", "diff"}, {in_arrays + ":t", in_arrays + ":t"}, ""}};
  for (const row& one : rows) {
    arguments line{"--json"};
    line.insert(line.end(), one.command.begin(), one.command.end());
    line.insert(line.end(), one.given.begin(), one.given.end());
    const outcome o = perdure_run(line);
    SCOPED_TRACE(one.command.front() + ' ' + one.command.back());
    EXPECT_EQ(o.status, one.status) << o.out << o.err;
    const json said = json::parse(o.out, nullptr, false);
    ASSERT_TRUE(said.is_object()) << o.out;
    EXPECT_EQ(said.contains("error"), one.is_refused);
    EXPECT_EQ(o.err.empty(), !one.is_refused) << o.err;
    if (!one.store.empty()) {
      EXPECT_EQ(said.value("store", ""), one.store);
    }
    if (one.is_timed) {
      EXPECT_GE(said.value("seconds", -1.0), 0.0);
    }
    if (one.tells_epoch) {
      EXPECT_GE(said.value("epoch", 0), 1);
    }
  }
  // These are all that there are.
  for (const arguments& above :
       {arguments{}, {"array"}, {"graph"}, {"graph", "generate"}, {"kmer"}, {"stage"}}) {
    arguments help = above;
    help.emplace_back("--help");
    const std::vector<std::string> names = commands_in(ok(help));
    EXPECT_FALSE(names.empty());
    for (const std::string& name : names) {
      arguments command = above;
      command.push_back(name);
      EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const row& one) {
        return one.command.size() >= command.size() &&
               std::equal(command.begin(), command.end(), one.command.begin());
      })) << name;
    }
  }
}

TEST_F(Cli, ListsTypesAsAPersonWouldWriteThem) {
  {
    perdure::manager store(perdure::create_only, path("types"));
    store.construct<perdure::vector<perdure::string>>("v")();
    store.construct<perdure::flat_map<perdure::string, perdure::vector<int>>>("m")();
    store.construct<perdure::map<int, std::pair<int, double>>>("b")();
    store.construct<int>("i")[3](1);
  }
  const std::string list = ok({"ls", path("types")});
  expect_part(list, "v     vector of text  ");
  expect_part(list, "m     map from text to vector of int32  ");
  expect_part(list, "b     map from int32 to (int32, float64)  ");
  expect_part(list, "i     int32[3]  ");
  expect_part(ok_json({"ls", path("types")})["objects"][2]["type"], "perdure::allocator");
}

struct tree {
  int number;
  perdure::vector<tree> below;
};

TEST_F(Cli, NamesNoTypesOfLibraries) {
  {
    perdure::manager store(perdure::create_only, path("types"));
    store.construct<perdure::vector<std::pair<std::byte, std::array<float, 3>>>>("pairs")();
    store.construct<perdure::unordered_map<perdure::string, perdure::flat_set<bool>>>("sets")();
    store.construct<tree>("tree")(tree{1, perdure::vector<tree>(store.get_allocator())});
  }
  { perdure::array_store(perdure::open_or_create, path("types")).store("t", std::vector<double>{1, 2}); }
  ok({"graph", "ingest", path("types"), file("e.txt", "a b 1 5\nb c 2 6\n"), "--names", "--weight-column",
      "3", "--time-column", "4"});
  ok({"graph", "freeze", path("types")});
  const std::string list = ok({"ls", path("types")});
  EXPECT_EQ(list.find("::"), std::string::npos) << list;
  EXPECT_EQ(list.find('<'), std::string::npos) << list;
  expect_part(list, "  vector of (byte, array of 3 float32)  ");
  expect_part(list, "  map from text to set of bool  ");
  expect_part(list, "  tree  ");
  expect_part(list, "(unique)  ");
  expect_part(list, "  array catalogue  ");
  expect_part(list, "  graph as adjacency list  ");
  expect_part(list, "  graph as CSR  ");
}

enum class colour : std::uint8_t { red, green };
struct place {
  perdure::string name;
  double height;
  colour paint;
  std::pair<short, float> at;
  std::array<int, 3> counts;
  bool open;
};

TEST_F(Cli, ListsWhatIsInObjects) {
  {
    perdure::manager store(perdure::create_only, path("s"));
    auto& places = *store.construct<perdure::vector<place>>("places")();
    for (const char* name : {"here", "a name that is too long to be in the string itself"})
      places.push_back({perdure::string(name, store.get_allocator<char>()),
                        0.5,
                        colour::green,
                        {-3, 0.1F},
                        {1, 2, 3},
                        true});
    auto& ages = *store.construct<perdure::flat_map<perdure::string, long>>("ages")();
    ages["Ada"] = 36;
    auto& lists = *store.construct<perdure::vector<perdure::vector<int>>>("lists")();
    for (int i = 0; i < 30; ++i) lists.emplace_back(100, i);
    store.construct<perdure::flat_set<int>>("set")()->insert(7);
    // All have one hash, so the table has a seed.
    auto& chosen = *store.construct<perdure::flat_set<perdure::string>>("chosen")();
    for (int i = 0; i < 3000; ++i) {
      std::string text(16, '\0');
      constexpr std::uint64_t takes_the_hash_to_zero = 0x9e3779b97f4a7c15U;
      std::memcpy(text.data(), &takes_the_hash_to_zero, 8);
      std::memcpy(text.data() + 8, &i, sizeof i);
      chosen.insert(text);
    }
    store.construct<boost::container::vector<int, perdure::allocator<int>>>("boost")(3, 9);
    store.construct<double>("pi")(3.25);
    store.construct<unsigned char>("bytes")[4](5);
    store.construct<perdure::string>("text")("hello");
    store.construct<perdure::map<int, int>>("unknown")();
    store.construct<perdure::vector<int>>(perdure::unique_instance)(3, 9);
    for (int i = 0; i < 4; ++i) store.construct<int>(perdure::anonymous_instance)[2](i);
    auto& root = *store.construct<perdure::vector<tree>>("trees")();
    root.push_back({1, perdure::vector<tree>(store.get_allocator())});
    root[0].below.push_back({2, perdure::vector<tree>(store.get_allocator())});
  }
  const json listed = ok_json({"ls", path("s")});
  std::map<std::string, json> objects;
  for (const json& one : listed["objects"]) objects[one["name"]] = one;
  EXPECT_EQ(objects["lists"]["elements"], 30);
  EXPECT_EQ(objects["lists"]["bytes"], 32);
  EXPECT_GE(objects["lists"]["reachable_bytes"], 32 + 30 * (32 + 400));
  EXPECT_LE(objects["lists"]["reachable_bytes"], 32 + 64 * 32 + 30 * 400);
  EXPECT_EQ(objects["lists"]["reachable_is_all"], true);
  EXPECT_EQ(objects["unknown"]["reachable_is_all"], false);
  EXPECT_EQ(objects["ages"]["elements"], 1);
  EXPECT_EQ(objects["chosen"]["elements"], 3000);
  EXPECT_EQ(objects["chosen"]["reachable_is_all"], true);
  EXPECT_EQ(objects["boost"]["elements"], 3);
  EXPECT_EQ(objects["bytes"]["elements"], 4);
  expect_part(ok({"ls", path("s")}), "vector of vector of int32  ");
  expect_part(ok({"ls", path("s")}), " KiB, 30 elements\n");
  expect_part(ok({"ls", path("s")}), "at least ");

  const auto values = [&](const std::string& name, const arguments& more = {}) {
    arguments command{"ls", path("s"), name};
    command.insert(command.end(), more.begin(), more.end());
    return ok_json(command)["object"]["values"];
  };
  EXPECT_EQ(values("places")[0], (json{{"name", "here"},
                                       {"height", 0.5},
                                       {"paint", 1},
                                       {"at", {{"first", -3}, {"second", 0.1}}},
                                       {"counts", {1, 2, 3}},
                                       {"open", true}}));
  EXPECT_EQ(values("places")[1]["name"], "a name that is too long to be in the string itself");
  EXPECT_EQ(values("ages"), (json{{{"first", "Ada"}, {"second", 36}}}));
  EXPECT_EQ(values("lists").size(), 20u);
  EXPECT_EQ(values("lists", {"--limit", "2"}),
            json::parse(R"([[0, 0, {"more": 98}], [1, 1, {"more": 98}]])"));
  EXPECT_EQ(values("set"), json{7});
  EXPECT_EQ(values("boost"), (json{9, 9, 9}));
  EXPECT_EQ(values("pi"), json{3.25});
  EXPECT_EQ(values("bytes"), (json{5, 5, 5, 5}));
  EXPECT_EQ(values("text"), json{"hello"});
  EXPECT_EQ(values("unknown"),
            json::parse(R"([{"bytes": 48, "type": "perdure::map<int, int>", "elements": 0}])"));
  expect_part(ok({"ls", path("s")}), "unknown      map from int32 to int32  at least 48 bytes, 0 elements\n");
  EXPECT_EQ(ok({"ls", path("s"), "unknown"}).find("more (--limit)"), std::string::npos);
  EXPECT_EQ(listed["anonymous"], json::parse(R"([{"type": "int", "number": 4, "bytes": 32}])"));
  expect_part(ok({"ls", path("s")}), "(anonymous)  int32  4 objects of at least 32 bytes\n");
  EXPECT_EQ(values("perdure::vector<int>"), (json{9, 9, 9}));
  EXPECT_EQ(values("vector of int32"), (json{9, 9, 9}));
  EXPECT_EQ(values("trees")[0]["below"][0]["number"], 2);
  expect_part(ok({"ls", path("s"), "lists", "--limit", "1"}), ",{\"more\":99}]\nand 29 more (--limit)\n");
  expect_part(fails({"ls", path("s"), "nothing"}), "no object named \"nothing\"");
}

TEST_F(Cli, ListsItsOwnGraphWhole) {
  const json graph = ok_json({"ls", small_store()})["objects"][0];
  EXPECT_EQ(graph["reachable_is_all"], true);
  EXPECT_GT(graph["reachable_bytes"], 1024 * 40);
}

TEST_F(Cli, ListsDamagedObjectsWithoutEnd) {
  for (const std::uint64_t word : {0U, 2U, 3U}) {
    const std::string name = path("s" + std::to_string(word));
    {
      perdure::manager store(perdure::create_only, name);
      auto* const strings = store.construct<perdure::vector<perdure::string>>("strings")();
      auto* const map = store.construct<perdure::flat_map<int, int>>("map")();
      auto* const text = store.construct<perdure::string>("text")(std::string(100, 'x').c_str());
      auto* const trees = store.construct<perdure::vector<tree>>("trees")();
      strings->emplace_back("a");
      map->try_emplace(1, 1);
      trees->push_back({1, perdure::vector<tree>(store.get_allocator())});
      // A tree that is in itself.
      auto* const inner = reinterpret_cast<std::uint64_t*>(&trees->front().below);
      std::memcpy(inner + 1, reinterpret_cast<const std::uint64_t*>(trees) + 1, 24);
      inner[1] += reinterpret_cast<std::uintptr_t>(trees) - reinterpret_cast<std::uintptr_t>(inner);
      for (void* const object :
           {static_cast<void*>(strings), static_cast<void*>(map), static_cast<void*>(text)})
        static_cast<std::uint64_t*>(object)[word] = 0x0123456789abcdefU << word;
      store.checkpoint();
      store.discard();
    }
    const outcome o = perdure_run({"ls", name});
    EXPECT_EQ(o.status, 0) << o.err;
    expect_part(o.out, "damaged");
    for (const char* const object : {"strings", "map", "text", "trees"})
      EXPECT_EQ(perdure_run({"ls", name, object, "--limit", "3"}).status, 0) << object;
  }
}

TEST_F(Cli, NamesTheVariableWithAValueThatIsNone) {
  struct setting {
    const char* variable;
    const char* value;
    const char* choices;
  };
  const std::string edges = file("g.txt", "1 2\n");
  for (const setting& wrong : {setting{"PERDURE_MEMORY_BUDGET", "4GiB", "a whole number of MiB from 1 to"},
                               {"PERDURE_MEMORY_BUDGET", "-1", "a whole number of MiB from 1 to"},
                               {"PERDURE_MEMORY_BUDGET", "0", "a whole number of MiB from 1 to"},
                               {"PERDURE_TRACKER", "uffdd", "uffd, pagemap or mprotect"},
                               {"PERDURE_BACKING", "cardboard", "private, paged, dax or shared"},
                               {"PERDURE_HUGE_PAGES", "yes", "0 or 1"},
                               {"PERDURE_VERIFY", "never", "journal, open or lazy"}}) {
    const char* const before = std::getenv(wrong.variable);
    const std::string kept = before == nullptr ? "" : before;
    ::setenv(wrong.variable, wrong.value, 1);
    const std::string message =
        fails({"graph", "ingest", path("s"), edges}, std::string(wrong.variable) == "PERDURE_VERIFY" ? 2 : 1);
    before == nullptr ? ::unsetenv(wrong.variable) : ::setenv(wrong.variable, kept.c_str(), 1);
    expect_part(message,
                std::string(wrong.variable) + " is '" + wrong.value + "'; it may be " + wrong.choices);
    EXPECT_FALSE(std::filesystem::exists(path("s")));
  }
}

TEST_F(Cli, TakesAnEmptyVariableForOneThatIsNotSet) {
  ::setenv("PERDURE_VERIFY", "", 1);
  ::setenv("PERDURE_HUGE_PAGES", "", 1);
  small_store();
  ::unsetenv("PERDURE_VERIFY");
  ::unsetenv("PERDURE_HUGE_PAGES");
}

TEST_F(Cli, NamesTheChoicesThereAre) {
  expect_part(fails({"ls", path("s"), "--verify", "never"}, 2),
              "--verify: 'never' is none of journal|open|lazy");
  fails({"ls", path("s"), "--verify", "0"}, 2);
}

TEST_F(Cli, NamesTheCommandThatThereIsNot) {
  expect_part(fails({"frobnicate"}, 2), "no command 'frobnicate'");
  expect_part(fails({"graph", "frobnicate"}, 2), "'perdure graph' has no command 'frobnicate'");
  expect_part(fails({"graph"}, 2), "perdure graph --help");
  // Whatever else there is on the line.
  expect_part(fails({"grph", "info"}, 2),
              "'perdure' has no command 'grph'; did you mean 'graph'? (see 'perdure --help')");
  expect_part(fails({"foo", "ls", path("s")}, 2), "'perdure' has no command 'foo'");
  expect_part(fails({"graph", "inf", "cc", path("s")}, 2), "'perdure graph' has no command 'inf'");
  expect_part(fails({"stage", "on", path("s"), path("t")}, 2), "'perdure stage' has no command 'on'");
  expect_part(fails({"--jsn"}, 2), "'perdure' has no option '--jsn'");
  expect_part(fails({"--jsn", "info", path("s")}, 2), "'perdure' has no option '--jsn'");
  expect_part(fails({"info", "--jsn"}, 2),
              "'perdure info' has no option '--jsn'; did you mean '--json'? (see 'perdure info --help')");
  expect_part(fails({"top", "more"}, 2), "'perdure top' takes no argument 'more'");
  expect_part(fails({"bfs", path("s")}, 2), "did you mean 'perdure graph bfs'?");
  expect_part(fails({"ls", path("s"), "--verify", "jornal"}, 2), "did you mean 'journal'?");
  expect_part(fails({"help", "grph"}, 2), "did you mean 'graph'?");
}

TEST_F(Cli, HelpIsAsWideAsColumnsSays) {
  ::setenv("COLUMNS", "60", 1);
  const std::string help = ok({"help", "graph", "bfs"});
  ::unsetenv("COLUMNS");
  expect_part(help, "Examples:");
  std::istringstream lines(help.substr(0, help.find("Examples:")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60U) << line;
  EXPECT_EQ(ok({"help", "stage", "in"}), ok({"stage", "in", "--help"}));
}

TEST_F(Cli, HelpThatCannotBeWrittenIsAFailure) {
  for (const arguments& a : {arguments{"--help"}, {"--version"}, {"graph", "bfs", "--help"}})
    EXPECT_EQ(perdure_run_to("/dev/full", a).status, 1);
  expect_part(ok({"graph", "bfs", "--help"}), "--levels");
}

TEST_F(Cli, RemoveSaysWhatItRemoved) {
  const std::string store = small_store();
  const json report = ok_json({"rm", "--force", store, path("absent")});
  EXPECT_EQ(report["removed"], json::array({store}));
  EXPECT_EQ(report["missing"], json::array({path("absent")}));
  EXPECT_EQ(json::parse(perdure_run({"rm", path("absent"), "--json"}).out)["error"]["code"], "not_found");
}

TEST_F(Cli, AnInterruptedCommandLeavesNoHalfFile) {
  const std::string edges = path("edges.txt");
  process generating(
      {perdure_program(), "graph", "generate", "rmat", "--scale", "30", "--edge-factor", "64", "-o", edges});
  const auto parts = [&] {
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(edges).parent_path()))
      found += entry.path().filename().string().find(".part") != std::string::npos ? 1U : 0U;
    return found;
  };
  while (parts() == 0 && !generating.has_ended()) std::this_thread::yield();
  generating.interrupt();
  EXPECT_EQ(generating.wait().status, -SIGINT);
  EXPECT_EQ(parts(), 0U);
  EXPECT_FALSE(std::filesystem::exists(edges));
}

TEST_F(Cli, WhatAKilledCommandLeftIsRemovedByTheNextOfThatName) {
  namespace fs = std::filesystem;
  const std::string edges = path("edges.txt");
  const fs::path directory = fs::path(edges).parent_path();
  const auto parts = [&] {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(directory))
      if (entry.path().filename().string().starts_with("edges.txt.part"))
        found.push_back(entry.path().filename().string());
    return found;
  };
  process generating(
      {perdure_program(), "graph", "generate", "rmat", "--scale", "30", "--edge-factor", "64", "-o", edges});
  while (parts().empty() && !generating.has_ended()) std::this_thread::yield();
  generating.kill();
  generating.wait();
  ASSERT_EQ(parts().size(), 1U);
  const std::string left = parts().front();
  const std::string behind = left.substr(left.find('-'));
  // One of a living process, of another boot, and what is called otherwise.
  const std::set<std::string> others{"edges.txt.part" + std::to_string(::getpid()) + behind,
                                     left.substr(0, left.find('-')) + "-00000000.0", "edges.txt.part2",
                                     left + "x"};
  for (const std::string& name : others) std::ofstream(directory / name) << "1 2\n";
  fs::create_directory(directory / (left + "1"));
  std::ofstream(directory / (left + "1") / "zarr.json") << "{}";
  ok({"graph", "generate", "rmat", "--scale", "4", "-o", edges});
  const std::vector<std::string> now = parts();
  EXPECT_EQ(std::set<std::string>(now.begin(), now.end()), others);
  EXPECT_GT(fs::file_size(edges), 0U);
}

TEST_F(Cli, SumsUpManyLevels) {
  std::string road;
  for (int i = 0; i < 100; ++i) road += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  ok({"graph", "ingest", path("road"), file("road.txt", road)});
  const std::string text = ok({"graph", "bfs", path("road"), "--source", "0"});
  expect_part(text, "0 to 100; half of the vertices within 50; the most, 1, at 0");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_EQ(ok_json({"graph", "bfs", path("road"), "--source", "0"})["levels"].size(), 101U);
}

TEST_F(Cli, InfoAndLsDescribeAStore) {
  const std::string store = small_store();
  const json info = ok_json({"info", store});
  EXPECT_EQ(info["store"], store);
  EXPECT_EQ(info["uuid"].get<std::string>().size(), 36u);
  EXPECT_GE(info["epoch"], 1);
  EXPECT_EQ(info["pinned"], false);
  EXPECT_GT(info["size"], 0);
  ASSERT_EQ(info["backings"].size(), 4u);
  EXPECT_EQ(info["backings"][0]["name"], "private");
  EXPECT_TRUE(info["backings"][0]["available"].get<bool>());
  const std::string text = ok({"info", store});
  expect_part(text, "backings        private");
  expect_part(text, info["uuid"]);
  expect_part(text, "relocatable");

  const json list = ok_json({"ls", store});
  ASSERT_EQ(list["objects"].size(), 1u);
  EXPECT_EQ(list["objects"][0]["name"], "graph");
  EXPECT_EQ(list["objects"][0]["kind"], "named");
  expect_part(list["objects"][0]["type"], "perdure::graph::adjacency_list");
  expect_part(ok({"ls", store}), "graph  graph as adjacency list  ");
  EXPECT_GT(info["heap"]["used_bytes"], 0);
  EXPECT_GT(info["heap"]["blocks"], 0);
  EXPECT_LE(info["heap"]["fragmentation_percent"], 100);
  EXPECT_EQ(text.find(" free between them ("), std::string::npos) << text;
  ok({"graph", "ingest", path("large"), "--rmat-scale", "14"});
  expect_part(ok({"info", path("large")}), " free between them (");
}

TEST_F(Cli, FailedWritesAreFailures) {
  const std::string store = small_store();
  expect_part(fails({"graph", "bfs", store, "--source", "10", "--levels", "/dev/full"}),
              "/dev/full: cannot write");
  expect_part(fails({"graph", "cc", store, "--labels", path("no/such/folder")}),
              "no/such/folder: cannot create");
  expect_part(fails({"graph", "generate", "rmat", "--scale", "4", "-o", "/dev/full"}),
              "/dev/full: cannot write");
  const outcome o = perdure_run_to("/dev/full", {"info", store});
  EXPECT_EQ(o.status, 1);
  expect_part(o.err, "perdure: standard output: cannot write");
  // No half-written files.
  fails({"graph", "bfs", store, "--source", "99", "--levels", path("levels")});
  for (const auto& entry : std::filesystem::directory_iterator(dir_.directory()))
    EXPECT_EQ(entry.path().filename().string().find("levels"), std::string::npos);
}

TEST_F(Cli, ReaderThatGoesAwayIsNoCrash) {
  ok({"graph", "ingest", path("g"), "--rmat-scale", "14", "--undirected"});
  const outcome o =
      process({"sh", "-c", "{ \"$0\" graph cc \"$1\" --labels -; echo status $? >&2; } | head -n 1",
               perdure_program(), path("g")})
          .wait();
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.err, "status 1\n");
}

TEST_F(Cli, StoreInUseNamesItsHolder) {
  process writer({perdure_program(), "graph", "ingest", path("g"), "-", "--checkpoint-every", "1"}, true);
  writer.write_input(eight_edges("1 2"));
  while (!std::filesystem::exists(path("g"))) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  // The store may be seen a moment before it is locked and complete.
  std::string message;
  for (int attempt = 0; attempt < 400 && message.find("process ") == std::string::npos; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    message = perdure_run({"graph", "info", path("g")}).err;
  }
  expect_part(message, "perdure: ");
  expect_part(message, "process ");
  writer.write_input("2 3\n");
  writer.close_input();
  EXPECT_EQ(writer.wait().status, 0);
  EXPECT_EQ(ok_json({"graph", "info", path("g")})["edges"], 9);
}

TEST_F(Cli, KilledIngestReopensAtItsLastCheckpoint) {
  process writer({perdure_program(), "graph", "ingest", path("g"), "--rmat-scale", "20", "--threads", "2",
                  "--checkpoint-every", "300000"});
  std::string seen;
  for (int i = 0; i < 6000 && std::count(seen.begin(), seen.end(), '\n') < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    seen = writer.output_so_far();
  }
  writer.kill();
  const outcome o = writer.wait();
  ASSERT_EQ(o.status, -SIGKILL);
  // "checkpoint     epoch 3, 612,345 edges, 20 ms"
  std::vector<std::pair<std::uint64_t, std::uint64_t>> checkpoints;
  std::string lines = o.out;
  lines.erase(std::remove(lines.begin(), lines.end(), ','), lines.end());
  std::istringstream words(lines);
  for (std::string word; words >> word;)
    if (word == "epoch") {
      checkpoints.emplace_back();
      words >> checkpoints.back().first >> checkpoints.back().second;
    }
  ASSERT_GE(checkpoints.size(), 2u) << o.out;
  const json info = ok_json({"graph", "info", path("g")});
  const std::uint64_t epoch = info["epoch"];
  // It was killed before the next one was announced, perhaps after it was made.
  EXPECT_GE(epoch, checkpoints.back().first);
  EXPECT_LE(epoch, checkpoints.back().first + 1);
  if (epoch == checkpoints.back().first) {
    EXPECT_EQ(info["edges"], checkpoints.back().second);
  }
  EXPECT_LT(info["edges"], 16u << 20);
  // The store is sound: queries and further edges work.
  ok_json({"graph", "cc", path("g")});
  ok({"graph", "ingest", path("g"), file("more.txt", "1 2\n")});
  EXPECT_EQ(ok_json({"graph", "info", path("g")})["edges"], info["edges"].get<std::uint64_t>() + 1);
}

// --- the real graphs ---

std::string inflated(const std::filesystem::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string text;
  char block[1 << 16];
  for (int n; (n = gzread(file, block, sizeof block)) > 0;) text.append(block, static_cast<std::size_t>(n));
  gzclose(file);
  return text;
}

class CliData : public Cli {
 protected:
  std::string sha256(const std::string& name) {
    return process({"sha256sum", path(name)}).wait().out.substr(0, 64);
  }

  void compare(const json& expected, const std::string& store, const char* kind) {
    const json& e = expected[kind];
    const json found =
        ok_json({"graph", "bfs", store, "--source", std::to_string(e["source"].get<std::uint64_t>()),
                 "--levels", path("levels")});
    EXPECT_EQ(found["reached"], e["reached"]);
    EXPECT_EQ(found["levels"], e["levels_histogram"]);
    EXPECT_EQ(sha256("levels"), e["sha256_of_\"id level\\n\"_sorted_by_id"].get<std::string>());
    const json cc = ok_json({"graph", "cc", store});
    EXPECT_EQ(cc["components"], expected["wcc_count"]);
    EXPECT_EQ(cc["largest"], expected["wcc_largest"]);
    EXPECT_EQ(cc["vertices"], expected["vertices"]);
  }
};

TEST_F(CliData, RealGraphsEqualTheReference) {
  for (const auto& [name, graph] : {std::pair{"wiki-Vote", "wiki-Vote"},
                                    {"email-Eu-core", "email-Eu-core"},
                                    {"ego-Facebook", "facebook_combined"},
                                    {"as20000102", "as20000102"}}) {
    const auto reference = data_file(std::string("reference/") + name + ".json");
    if (reference.empty()) GTEST_SKIP() << "no test data (set PERDURE_DATA)";
    const json expected = json::parse(content(reference));
    const std::string edges = data_file(std::string("graphs/") + graph + ".txt.gz").string();
    ok({"graph", "ingest", path(std::string(name) + ".u"), edges, "--undirected"});
    compare(expected, path(std::string(name) + ".u"), "bfs_undirected");
    if (!expected.contains("bfs_directed")) continue;
    ok({"graph", "ingest", path(std::string(name) + ".d"), edges});
    compare(expected, path(std::string(name) + ".d"), "bfs_directed");
  }
}

TEST_F(CliData, Rmat17EqualsHavoqGT) {
  const auto packed = data_file("kron/rmat_s17.edges.xz");
  if (packed.empty()) GTEST_SKIP() << "no test data (set PERDURE_DATA)";
  ok({"graph", "ingest", path("g"), packed.string(), "--undirected"});
  compare(json::parse(content(data_file("reference/rmat_s17.json"))), path("g"), "bfs_undirected");

  // HavoqGT numbers all ids up to the largest: those without an edge are unreached (65535) and their own
  // components there, and no vertices here.
  std::istringstream ours(ok({"graph", "bfs", path("g"), "--source", "0", "--levels", "-"}));
  std::map<std::uint64_t, std::uint32_t> levels;
  for (std::uint64_t v, level; ours >> v >> level;) levels[v] = static_cast<std::uint32_t>(level);
  std::istringstream theirs(inflated(data_file("kron/bfs_level_rmat_s17.gz")));
  std::size_t reached = 0;
  for (std::uint64_t v, level; theirs >> v >> level;) {
    if (level == 65535) {
      EXPECT_FALSE(levels.contains(v)) << v;
    } else {
      ++reached;
      ASSERT_TRUE(levels.contains(v)) << v;
      ASSERT_EQ(levels[v], level) << v;
    }
  }
  EXPECT_EQ(reached, levels.size());

  std::istringstream our_labels(ok({"graph", "cc", path("g"), "--labels", "-"}));
  std::map<std::uint64_t, std::uint64_t> label;
  for (std::uint64_t v, l; our_labels >> v >> l;) label[v] = l;
  std::istringstream their_labels(inflated(data_file("kron/cc_rmat_s17.gz")));
  std::map<std::uint64_t, std::uint64_t> from_theirs;
  std::map<std::uint64_t, std::uint64_t> to_theirs;
  std::size_t vertices = 0;
  for (std::uint64_t v, l; their_labels >> v >> l;) {
    const auto found = label.find(v);
    if (found == label.end()) {
      EXPECT_EQ(l, v);
      continue;
    }
    ++vertices;
    ASSERT_EQ(from_theirs.try_emplace(l, found->second).first->second, found->second);
    ASSERT_EQ(to_theirs.try_emplace(found->second, l).first->second, l);
  }
  EXPECT_EQ(vertices, label.size());
}

}  // namespace
