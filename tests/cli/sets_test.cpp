// Sets of stores on the command line: shown, looked after, divided; and their parts, which nobody writes
// alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/small_set.hpp"
#include "support/program.hpp"
#include "support/scratch_test.hpp"

namespace {

class a_set_on_the_command_line : public perdure::scratch_test {
 protected:
  using arguments = std::vector<std::string>;

  /// Three parts; "field" is divided among them.
  a_set_on_the_command_line() {
    perdure::test::make_small_set(set());
    ok({"repartition", set(), "--parts", "3"});
  }
  std::string at(const std::string& name) const { return path(name).string(); }
  std::string set() const { return at("run.set"); }
  std::string part(int number) const { return set() + "/set.0002/part.0000" + std::to_string(number); }
  static std::string ok(const arguments& a) {
    const perdure::test::outcome o = perdure::test::perdure_run(a);
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_EQ(o.err, "");
    return o.out;
  }
  static nlohmann::json ok_json(arguments a) {
    a.push_back("--json");
    return nlohmann::json::parse(ok(a));
  }
  /// One line on standard error, and the exit code.
  static void fails(const arguments& a, const std::string& words) {
    SCOPED_TRACE(a[0]);
    const perdure::test::outcome o = perdure::test::perdure_run(a);
    EXPECT_EQ(o.status, 1) << o.out;
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
  static std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// Names, sizes and bytes of all files, except LOCK.
  std::string content() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(set()))
      if (entry.is_regular_file() && entry.path().filename() != "LOCK" && entry.file_size() < (1u << 20))
        all.push_back(entry.path().string() + bytes_of(entry.path().string()));
    std::sort(all.begin(), all.end());
    return std::accumulate(all.begin(), all.end(), std::string());
  }
};

TEST_F(a_set_on_the_command_line, shows_its_arrays) {
  const std::string arrays = ok({"array", "ls", set()});
  EXPECT_NE(arrays.find("field"), std::string::npos);
  EXPECT_NE(arrays.find("run/step"), std::string::npos);
  const nlohmann::json facts = ok_json({"array", "stat", set() + ":field", "--check"});
  EXPECT_EQ(facts["shape"], (nlohmann::json{6, 10}));
  EXPECT_EQ(facts["blocks"], 3);
  EXPECT_EQ(facts["stored_bytes"], 480);
  EXPECT_EQ(ok({"array", "dump", set() + ":field[1:5,9]"}), "19.5 29.5 39.5 49.5\n");
  fails({"array", "stat", set() + ":none"}, "none");
}

TEST_F(a_set_on_the_command_line, is_exported_and_compared) {
  ok({"array", "export", set() + ":field", at("field.npy")});
  ok({"array", "import", at("store") + ":field", at("field.npy")});
  ok({"array", "diff", set() + ":field", at("store") + ":field"});
  ok({"array", "export", set(), at("all.npz")});
  ok({"copy", set(), at("copy")});
  ok({"array", "diff", set(), at("copy")});
}

TEST_F(a_set_on_the_command_line, shows_what_is_in_its_parts) {
  const std::string listed = ok({"ls", set()});
  for (int i = 0; i < 3; ++i) EXPECT_NE(listed.find("part " + std::to_string(i)), std::string::npos);
  EXPECT_EQ(ok_json({"ls", set()})["parts"].size(), 3u);
  EXPECT_FALSE(ok_json({"ls", set()})["parts"][2]["objects"].empty());
  const nlohmann::json info = ok_json({"info", set()});
  EXPECT_EQ(info["parts"].size(), 3u);
  EXPECT_EQ(info["parts"][1]["path"], part(1));
  EXPECT_NE(ok({"info", set()}).find(part(2)), std::string::npos);
  EXPECT_EQ(ok_json({"log", set()})["checkpoints"].back()["epoch"], info["epoch"]);
}

TEST_F(a_set_on_the_command_line, is_looked_after) {
  EXPECT_NE(ok({"verify", set()}).find("whole set of 3 parts"), std::string::npos);
  EXPECT_TRUE(ok_json({"verify", set(), "--pointers"})["whole"].get<bool>());
  EXPECT_EQ(ok_json({"snapshot", set(), at("copy")})["epoch"], ok_json({"info", set()})["epoch"]);
  EXPECT_EQ(ok_json({"repartition", at("copy"), "--parts", "2"})["parts"], 2);
  ok({"array", "diff", set(), at("copy")});
  ok({"rm", set()});
  EXPECT_FALSE(std::filesystem::exists(set()));
  fails({"rm", set()}, "there is no");
  EXPECT_EQ(perdure::test::perdure_run({"repartition", at("copy"), "--parts", "0"}).status, 2);
}

TEST_F(a_set_on_the_command_line, has_no_part_that_is_written_alone) {
  std::ofstream(at("x.csv")) << "1\n2\n";
  const std::string before = content();
  fails({"array", "import", part(1) + ":zz", at("x.csv")}, "is a part of a set of stores");
  fails({"array", "import", set() + ":zz", at("x.csv")}, "is a set of stores, not a single store");
  fails({"graph", "ingest", part(0), at("x.csv")}, "is a part of a set of stores");
  EXPECT_EQ(content(), before);
  EXPECT_NE(ok({"array", "ls", part(1)}).find("field"), std::string::npos);
  EXPECT_NE(ok({"array", "ls", set()}).find("field"), std::string::npos);
}

TEST_F(a_set_on_the_command_line, names_what_is_missing_or_damaged) {
  const std::vector<arguments> all = {{"array", "ls", set()},
                                      {"ls", set()},
                                      {"verify", set()},
                                      {"log", set()},
                                      {"copy", set(), at("copy")},
                                      {"array", "export", set() + ":field", at("x.npy")},
                                      {"repartition", set(), "--parts", "2"}};
  std::filesystem::rename(part(1), at("elsewhere"));
  for (const arguments& one : all) fails(one, "part 1 (" + part(1) + ") of the set is missing");
  EXPECT_TRUE(ok_json({"info", set()})["parts"][1]["missing"].get<bool>());
  std::ofstream(part(1) + ".where") << "another-machine\n/device/part.00001\n";
  for (const arguments& one : all) fails(one, "part 1 (machine another-machine, /device/part.00001)");
  EXPECT_EQ(ok_json({"info", set()})["parts"][1]["machine"], "another-machine");
  fails({"rm", set()}, "another-machine");
  std::filesystem::remove(part(1) + ".where");
  std::filesystem::rename(at("elsewhere"), part(1));
  std::ofstream(set() + "/manifest") << "nonsense";
  for (const arguments& one : all) fails(one, "manifest is damaged");
  EXPECT_FALSE(std::filesystem::exists(at("copy")));
  EXPECT_FALSE(std::filesystem::exists(at("x.npy")));
}

}  // namespace
