// perdure report of a set of stores: its parts, and the arrays and graphs of all ranks.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/graph/rmat.hpp>
#include <string>
#include <vector>

#include "cli/small_set.hpp"
#include "support/flipped_bit.hpp"
#include "support/program.hpp"
#include "support/scratch_test.hpp"

namespace perdure {
namespace {

using nlohmann::json;
using test::outcome;
using test::perdure_run;

/// Three parts, with "field" divided among them.
class ReportOfASet : public scratch_test {
 protected:
  ReportOfASet() {
    test::make_small_set(set());
    EXPECT_EQ(perdure_run({"repartition", set(), "--parts", "3"}).status, 0);
  }
  std::string set() const { return path("run.set").string(); }
  std::string part(int number) const { return set() + "/set.0002/part.0000" + std::to_string(number); }
  static json printed(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    return json::parse(perdure_run(arguments).out, nullptr, false);
  }
  std::string page(int status = 0, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"report", set(), "-o", path("page.html").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const outcome o = perdure_run(arguments);
    EXPECT_EQ(o.status, status) << o.out << o.err;
    EXPECT_EQ(o.err, "");
    std::ifstream in(path("page.html"), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void expect_parts(const std::string& page, const std::vector<std::string>& texts) {
    for (const std::string& one : texts) EXPECT_NE(page.find(one), std::string::npos) << one;
  }
};

TEST_F(ReportOfASet, TellsWhatOtherCommandsTell) {
  const json facts = printed({"report", set()});
  const json info = printed({"info", set()});
  for (const char* const key : {"set", "uuid", "epoch", "part_epoch", "size", "disk_bytes"})
    EXPECT_EQ(facts[key], info[key]) << key;
  ASSERT_EQ(facts["parts"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(facts["parts"][i]["path"], info["parts"][i]["path"]);
    EXPECT_GT(facts["parts"][i]["heap"]["used_bytes"], 0);
    EXPECT_EQ(facts["parts"][i]["objects"], printed({"ls", part(static_cast<int>(i))})["objects"].size());
  }
  EXPECT_EQ(facts["checkpoints"], printed({"log", set()})["checkpoints"]);
  json verified = printed({"verify", set()});
  for (const char* const key : {"whole", "epoch", "parts"})
    EXPECT_EQ(facts["verification"][key], verified[key]) << key;
  ASSERT_EQ(facts["arrays"].size(), 2U);
  json field = facts["arrays"][0];
  EXPECT_EQ(field["numbers"]["smallest"], 0.5);
  EXPECT_EQ(field["numbers"]["largest"], 59.5);
  field.erase("numbers");
  EXPECT_EQ(field, printed({"array", "stat", set() + ":field"}));
}

TEST_F(ReportOfASet, ShowsItsParts) {
  expect_parts(page(), {"Report on a set of stores", "3 parts", "Whole", "of 3 parts checked", part(0),
                        part(2), ">field<", ">run/step<", "Size of the set"});
  expect_parts(page(0, {"--no-verify"}), {"Not verified", "The set was not verified", ">field<"});
}

TEST_F(ReportOfASet, CountsTheNeighboursInAGraphOfRanks) {
  detail::set_options options;
  options.store = small_store();
  const auto made = detail::store_set::open(detail::make_lone_rank(), detail::store_set::mode::create,
                                            path("g"), options, detail::opener_of_managers<relocatable>());
  graph::lone_exchange own;
  graph::rmat_source edges({.scale = 6, .edge_factor = 4, .seed = 3});
  graph::store_rank_graph(*made->arrays(), "net", graph::build_rank_graph(edges, own), own);
  made->checkpoint("made");
  made->close();
  const json facts = printed({"report", path("g").string()});
  const json stats = printed({"graph", "stats", path("g").string()});
  ASSERT_EQ(facts["graphs"].size(), 1U);
  const json& net = facts["graphs"][0];
  EXPECT_EQ(net["graph"], "net");
  for (const char* const key : {"undirected", "edges", "self_loops", "isolated"})
    EXPECT_EQ(net[key], stats[key]) << key;
  for (const char* const key : {"smallest", "largest", "mean", "median"})
    EXPECT_EQ(net["degrees"][key], stats["degrees"][key]) << key;
}

TEST_F(ReportOfASet, NamesTheDamagedPart) {
  flip_bit(part(1) + "/heap.000", std::uint64_t{2} << 20);
  const json found = printed({"report", set()});
  EXPECT_FALSE(found["verification"]["whole"].get<bool>());
  EXPECT_EQ(found["verification"]["parts"][1]["damages"], 1);
  const std::string shown = page(1);
  expect_parts(shown, {"Damaged", "part 1: heap.000", part(1), "were not read, as the set is damaged"});
  EXPECT_EQ(shown.find(">field<"), std::string::npos);
}

TEST_F(ReportOfASet, WithAPartMissingFails) {
  std::filesystem::rename(part(1), path("elsewhere"));
  const outcome o = perdure_run({"report", set(), "-o", path("page.html").string()});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.err.find("part 1 (" + part(1) + ") of the set is missing"), std::string::npos) << o.err;
  EXPECT_FALSE(std::filesystem::exists(path("page.html")));
}

}  // namespace
}  // namespace perdure
