// Commands on a store whose file system is full: an error of one line, and the store as it was committed.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/random_stream.hpp"
#include "support/small_file_system.hpp"

namespace {

using perdure::test::outcome;
using perdure::test::perdure_run;

class OnAFullDisk : public perdure::a_small_file_system {
 protected:
  static void fails(const std::vector<std::string>& command) {
    const outcome o = perdure_run(command);
    EXPECT_EQ(o.status, 1) << o.out << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_NE(o.err.find("No space left on device; free some disk space and try again"), std::string::npos)
        << o.err;
  }
  static std::string ok(const std::vector<std::string>& command) {
    const outcome o = perdure_run(command);
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    return o.out;
  }
  static std::uint64_t edges_in(const std::string& graph) {
    return nlohmann::json::parse(ok({"graph", "info", graph, "--json"}))["edges"];
  }
  // Edges with times, `first` to `end` of an endless list.
  std::string edges(const std::string& name, std::uint64_t first, std::uint64_t end) const {
    std::ofstream file(path(name));
    for (std::uint64_t i = first; i < end; ++i)
      file << perdure::mix(i) % 30'000 << ' ' << perdure::mix(~i) % 30'000 << ' ' << 1'400'000'000 + i * 60
           << '\n';
    return path(name);
  }
};

TEST_F(OnAFullDisk, GraphsCanBeReadAndFailToGrow) {
  if (!mounted_) GTEST_SKIP() << "needs the right to mount";
  const std::string graph = store();
  ok({"graph", "ingest", graph, edges("a", 0, 20'000), "--time-column", "3", "--weight-column", "none",
      "--undirected"});
  const std::string more = edges("b", 20'000, 300'000);
  fails({"graph", "ingest", graph, more, "--time-column", "3", "--weight-column", "none"});
  fill_up();
  ok({"verify", graph});
  ok({"graph", "cc", graph});
  // Each of its buckets is a checkpoint, so it may have added some.
  fails({"graph", "append", graph, more, "--time-column", "3", "--weight-column", "none", "--bucket", "day"});
  fill_up();
  const auto before = edges_in(graph);
  EXPECT_GE(before, 20'000u);
  fails({"graph", "freeze", graph});
  EXPECT_EQ(edges_in(graph), before);
  ok({"verify", graph});
  make_room();
  ok({"graph", "freeze", graph});
  ok({"verify", graph});
}

TEST_F(OnAFullDisk, KmerIndexesCanBeReadAndFailToBeBuilt) {
  if (!mounted_) GTEST_SKIP() << "needs the right to mount";
  ok({"kmer", "generate", path("drawn"), "--taxa", "4", "--genome-bases", "100000", "--reads", "10"});
  const std::string reads = path("drawn") / "reads.fq";
  const auto build = [&](const std::string& name) {
    return std::vector<std::string>{"kmer",
                                    "build",
                                    store(),
                                    "--genomes",
                                    path("drawn") / "genomes.fa",
                                    "--taxonomy",
                                    path("drawn") / "nodes.dmp",
                                    path("drawn") / "names.dmp",
                                    "--name",
                                    name,
                                    "--budget",
                                    "1MiB"};
  };
  ok(build("one"));
  const std::string lines = ok({"kmer", "classify", store(), reads, "--name", "one", "--output", "-"});
  fill_up();
  fails(build("two"));
  EXPECT_EQ(ok({"kmer", "classify", store(), reads, "--name", "one", "--output", "-"}), lines);
  ok({"verify", store()});
  make_room();
  ok(build("two"));
  EXPECT_EQ(ok({"kmer", "classify", store(), reads, "--name", "two", "--output", "-"}), lines);
}

}  // namespace
