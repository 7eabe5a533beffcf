// perdure report: facts as the other commands print them, and a page that holds together whatever names hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <perdure/perdure.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/flipped_bit.hpp"
#include "support/program.hpp"
#include "support/scratch_test.hpp"

namespace perdure {
namespace {

using nlohmann::json;
using test::outcome;
using test::perdure_run;

/// Returns what keeps a page from being well-formed XML; nothing if it is: each element closed in its turn,
/// each value in quotation marks, each ampersand a reference.
std::string why_not_well_formed(std::string_view page) {
  std::vector<std::string> open;
  std::size_t at = page.find("<html");
  if (at == std::string_view::npos) return "there is no <html>";
  while (at < page.size()) {
    if (page[at] == '&') {
      const std::size_t end = page.find(';', at);
      const std::string_view name = page.substr(at + 1, std::min(end, at + 8) - at - 1);
      if (name != "lt" && name != "gt" && name != "amp" && name != "quot" && name != "#39")
        return "a stray & at " + std::string(page.substr(at, 30));
    }
    if (page[at] != '<') {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    bool is_quoted = false;
    for (; end < page.size() && (is_quoted || page[end] != '>'); ++end) {
      if (page[end] == '"') is_quoted = !is_quoted;
      if (page[end] == '<') return "a stray < at " + std::string(page.substr(at, 60));
    }
    const std::string_view tag = page.substr(at + 1, end - at - 1);
    at = end + 1;
    const std::string name(tag.substr(0, tag.find_first_of(" /", 1)));
    if (tag[0] == '/') {
      if (open.empty() || "/" + open.back() != tag) return "out of turn: " + std::string(tag);
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

class Report : public scratch_test {
 protected:
  std::string at(const std::string& name) const { return path(name).string(); }
  static json printed(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const outcome o = perdure_run(arguments);
    EXPECT_EQ(o.err, "");
    return json::parse(o.out, nullptr, false);
  }
  static std::string content(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The page of a store, which is well-formed and loads nothing.
  std::string page_of(const std::string& store, int status = 0, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"report", store, "-o", at("page.html")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const outcome o = perdure_run(arguments);
    EXPECT_EQ(o.status, status) << o.out << o.err;
    EXPECT_EQ(o.err, "");
    std::string page = content(path("page.html"));
    EXPECT_EQ(why_not_well_formed(page), "");
    for (const char* const loads : {"<script", "<img", "src=", "url(", "@import", "http:", "https:"})
      EXPECT_EQ(page.find(loads), std::string::npos) << loads;
    return page;
  }
  static void expect_part(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
};

TEST_F(Report, TellsWhatOtherCommandsTell) {
  {
    manager store(create_only, path("s"));
    store.construct<vector<int>>("numbers")(1000, 3);
    store.construct<double>("pi")(3.25);
    store.construct<vector<int>>(unique_instance)(3, 9);
    for (int i = 0; i < 4; ++i) store.construct<int>(anonymous_instance)(i);
    store.checkpoint("monday");
    array_store(store).store("run/t", std::vector<double>{1, 2, 3, 5});
    store.close();
  }
  json facts = printed({"report", at("s")});
  const json info = printed({"info", at("s")});
  for (const auto& [key, value] : info.items())
    if (key != "backings" && key != "heap") {
      EXPECT_EQ(facts[key], value) << key;
    }
  for (const auto& [key, value] : info["heap"].items()) EXPECT_EQ(facts["heap"][key], value) << key;
  const json list = printed({"ls", at("s")});
  const auto by_size = [](const json& a, const json& b) {
    return a["reachable_bytes"] > b["reachable_bytes"];
  };
  EXPECT_TRUE(std::is_sorted(facts["objects"].begin(), facts["objects"].end(), by_size));
  std::sort(facts["objects"].begin(), facts["objects"].end());
  json listed = list["objects"];
  std::sort(listed.begin(), listed.end());
  EXPECT_EQ(facts["objects"], listed);
  EXPECT_TRUE(std::is_permutation(facts["anonymous"].begin(), facts["anonymous"].end(),
                                  list["anonymous"].begin(), list["anonymous"].end()));
  EXPECT_EQ(facts["checkpoints"], printed({"log", at("s")})["checkpoints"]);
  EXPECT_EQ(facts["verification"]["pages"], printed({"verify", at("s")})["pages"]);
  json array = facts["arrays"][0];
  EXPECT_EQ(array["numbers"]["mean"], 2.75);
  EXPECT_EQ(array["numbers"]["sampled"], 4);
  array.erase("numbers");
  EXPECT_EQ(array, printed({"array", "stat", at("s") + ":run/t"}));

  const std::string page = page_of(at("s"));
  for (const char* const part :
       {">numbers<", ">pi<", "vector of int32", "monday", ">run/t<", "Whole", "(4 anonymous objects)"})
    expect_part(page, part);
}

TEST_F(Report, ShowsTheDegreesOfGraphs) {
  std::ofstream(path("edges")) << "1 2\n1 3\n1 4\n2 3\n5 5\n";
  ASSERT_EQ(perdure_run({"graph", "ingest", at("g"), at("edges")}).status, 0);
  const json facts = printed({"report", at("g")});
  const json stats = printed({"graph", "stats", at("g")});
  ASSERT_EQ(facts["graphs"].size(), 1U);
  const json& graph = facts["graphs"][0];
  for (const char* const key : {"undirected", "edges", "self_loops", "isolated"})
    EXPECT_EQ(graph[key], stats[key]);
  for (const char* const key : {"smallest", "largest", "mean", "median"}) {
    EXPECT_EQ(graph["degrees"][key], stats["degrees"][key]);
    EXPECT_EQ(graph["in_degrees"][key], stats["in_degrees"][key]);
  }
  EXPECT_EQ(graph["degrees"]["distribution"][3], (json{{"from", 3}, {"to", 3}, {"vertices", 1}}));
  expect_part(page_of(at("g")), "class=\"dots second\"");
}

TEST_F(Report, IsOfAKeptCheckpoint) {
  {
    manager store(create_only, path("s"), {.keep_last = 2, .keep_full_copies = true});
    store.construct<vector<int>>("early")(10, 3);
    store.checkpoint("monday");
    store.construct<vector<int>>("late")(10, 3);
    store.close();
  }
  const std::string monday = at("s") + "@monday";
  const std::string page = page_of(monday);
  expect_part(page, ">early<");
  EXPECT_EQ(page.find(">late<"), std::string::npos);
  const json facts = printed({"report", monday});
  EXPECT_EQ(facts["checkpoints"].back()["label"], "monday");
  EXPECT_EQ(facts["epoch"], printed({"info", monday})["epoch"]);
  expect_part(page_of(at("s")), ">late<");
}

TEST_F(Report, ShowsKmerIndexes) {
  const auto build = [this](std::vector<std::string> more) {
    std::vector<std::string> arguments{"kmer",
                                       "build",
                                       at("s"),
                                       "--genomes",
                                       at("drawn/genomes.fa"),
                                       "--taxonomy",
                                       at("drawn/nodes.dmp"),
                                       at("drawn/names.dmp")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const outcome o = perdure_run(arguments);
    ASSERT_EQ(o.status, 0) << o.err;
  };
  ASSERT_EQ(
      perdure_run({"kmer", "generate", at("drawn"), "--taxa", "3", "--genome-bases", "2000", "--reads", "1"})
          .status,
      0);
  build({});
  build({"--name", "exact", "--index", "exact"});
  const json facts = printed({"report", at("s")});
  ASSERT_EQ(facts["kmer_indexes"].size(), 2U);
  for (const json& one : facts["kmer_indexes"]) {
    const json stats = printed({"kmer", "stats", at("s"), "--name", one["index"]});
    for (const char* const key : {"k", "sequences", "bases", "bytes"}) EXPECT_EQ(one[key], stats[key]) << key;
  }
  const std::string page = page_of(at("s"));
  expect_part(page, "exact, k = ");
  expect_part(page, "minimizers, k = ");
}

TEST_F(Report, EscapesHostileNames) {
  const std::string hostile = "<script>alert('x')</script>\"&\xff\x1b[31m\xe2\x80\xae";
  {
    manager store(create_only, path("s"));
    store.construct<int>(hostile)(1);
    store.checkpoint("<b>&\xfe");
    array_store arrays(store);
    arrays.store("a<script>/x", 1);
    arrays.array("a<script>/x").set_attribute("<i>", "</td><script>\xfd");
    store.close();
  }
  const std::string page = page_of(at("s"));
  expect_part(
      page,
      "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;\xef\xbf\xbd\xef\xbf\xbd[31m\xef\xbf\xbd<");
  expect_part(page, "&lt;b&gt;&amp;\xef\xbf\xbd<");
  expect_part(page, "&lt;i&gt;");
  expect_part(page, "&lt;/td&gt;&lt;script&gt;\xef\xbf\xbd<");
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
}

TEST_F(Report, SumsUpManyObjects) {
  {
    manager store(create_only, path("s"));
    for (int i = 0; i < 20'000; ++i) store.construct<int>("object number " + std::to_string(i))(i);
    store.construct<vector<int>>("large")(1000, 1);
    store.close();
  }
  const std::string page = page_of(at("s"), 0, {"--no-verify"});
  EXPECT_LT(page.size(), std::size_t{150'000});
  expect_part(page, ">large<");
  expect_part(page, "19,901 other objects");
  expect_part(page, "Not verified");
  const json few = printed({"report", at("s"), "--limit", "1", "--no-verify"});
  EXPECT_EQ(few["objects"].size(), 1U);
  EXPECT_EQ(few["other_objects"], (json{{"number", 20'000}, {"bytes", 80'000}}));
  EXPECT_EQ(few["verification"], nullptr);
}

TEST_F(Report, SaysOfHowManyElementsAHistogramIs) {
  {
    array_store arrays(create_only, path("s"));
    std::vector<std::uint8_t> numbers(std::size_t{3} << 20);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint8_t>(i % 7);
    arrays.store("large", numbers);
    arrays.store("empty", std::vector<double>{});
    arrays.store("texts", std::vector<std::string>{"a"});
    arrays.close();
  }
  const json numbers = printed({"report", at("s")})["arrays"][0]["numbers"];
  EXPECT_EQ(numbers["elements"], 3 << 20);
  EXPECT_EQ(numbers["sampled"], 1 << 20);
  EXPECT_EQ(numbers["bins"].size(), 7U);
  EXPECT_EQ(numbers["largest"], 6);
  const std::string page = page_of(at("s"));
  expect_part(page, "sample of 1,048,576 of 3,145,728 elements");
  expect_part(page, "not numbers");
  expect_part(page, "no elements");
}

TEST_F(Report, IsWrittenForAnEmptyStore) {
  manager(create_only, path("s")).close();
  expect_part(page_of(at("s")), "The store has no objects.");
}

TEST_F(Report, IsWrittenForADamagedStore) {
  std::uint64_t offset = 0;
  {
    manager store(create_only, path("s"));
    auto& numbers = *store.construct<vector<int>>("numbers")(100'000, 3);
    offset = store.memory().offset_of(numbers.data());
    store.close();
  }
  // Pages begin behind 2 MiB of the home file.
  flip_bit(path("s") / "heap.000", (std::uint64_t{2} << 20) + offset + 8192);
  const std::string page = page_of(at("s"), 1);
  expect_part(page, "Damaged");
  expect_part(page, "1 damage<");
  expect_part(page, "heap.000");
  expect_part(page, ">numbers<");
  expect_part(page, "were not read, as the store is damaged");
  EXPECT_EQ(printed({"report", at("s")})["verification"]["findings"],
            printed({"verify", at("s")})["findings"]);
}

TEST_F(Report, OfWhatIsNoStoreLeavesTheOldPage) {
  std::ofstream(path("page.html")) << "old";
  std::filesystem::create_directory(path("none"));
  const outcome o = perdure_run({"report", at("none"), "-o", at("page.html")});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1);
  EXPECT_EQ(content(path("page.html")), "old");
  const auto files = std::distance(std::filesystem::directory_iterator(path("s").parent_path()),
                                   std::filesystem::directory_iterator());
  EXPECT_EQ(files, 2);
}

TEST_F(Report, IsWrittenBesideAWriter) {
  manager store(create_only, path("s"));
  store.construct<int>("kept")(1);
  store.checkpoint();
  store.construct<int>("later")(2);
  const std::string page = page_of(at("s"));
  expect_part(page, ">kept<");
  EXPECT_EQ(page.find(">later<"), std::string::npos);
}

TEST_F(Report, NeedsAFileOrJson) {
  manager(create_only, path("s")).close();
  EXPECT_EQ(perdure_run({"report", at("s")}).status, 2);
  EXPECT_EQ(perdure_run({"report", at("s"), "--json", "-o", "-"}).status, 2);
  const outcome o = perdure_run({"report", at("s"), "-o", "-"});
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(why_not_well_formed(o.out), "");
}

}  // namespace
}  // namespace perdure
