// STORE@LABEL on the command line: every command that reads takes it, every command that writes refuses it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/loop_mount.hpp"
#include "support/program.hpp"
#include "support/scratch_test.hpp"

namespace {

using perdure::test::outcome;
using perdure::test::perdure_run;

class a_kept_checkpoint : public perdure::scratch_test {
 protected:
  using arguments = std::vector<std::string>;

  std::string at(const std::string& name) const { return path(name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return at(name);
  }
  static std::string ok(const arguments& a) {
    const outcome o = perdure_run(a);
    EXPECT_EQ(o.status, 0) << testing::PrintToString(a) << o.out << o.err;
    EXPECT_EQ(o.err, "") << testing::PrintToString(a);
    return o.out;
  }
  static nlohmann::json ok_json(arguments a) {
    a.push_back("--json");
    return nlohmann::json::parse(ok(a));
  }
  static std::string fails(const arguments& a, int status = 1) {
    const outcome o = perdure_run(a);
    EXPECT_EQ(o.status, status) << testing::PrintToString(a) << o.out << o.err;
    EXPECT_LE(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    return o.err;
  }
  /// A store with an array of three numbers, and a graph of two months: 1 - 2, then 2 - 3 too.
  void make_store(const std::string& store, const arguments& options = {}) const {
    ok({"array", "import", store + ":t", file("t.csv", "1\n2\n3\n")});
    arguments append{
        "graph",           "append", store,           file("two", "1 2 2016-01-05\n2 3 2016-02-05\n"),
        "--bucket",        "month",  "--time-column", "3",
        "--weight-column", "none"};
    append.insert(append.end(), options.begin(), options.end());
    ok(append);
    ok({"graph", "freeze", store});
  }
  /// The files below the directory, with their sizes and when they were changed.
  static std::map<std::string, std::string> files_in(const std::filesystem::path& directory) {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
      found[entry.path().string()] = std::to_string(entry.is_regular_file() ? entry.file_size() : 0) +
                                     " bytes, changed " +
                                     std::to_string(entry.last_write_time().time_since_epoch().count());
    return found;
  }

  /// `append`, `ingest` and `build` once made a store of the literal name, which hid the kept checkpoint.
  void is_not_hidden_by_commands_that_write(const std::filesystem::path& directory,
                                            const arguments& options = {}) const {
    std::filesystem::create_directories(directory);
    const std::string store = (directory / "m").string();
    make_store(store, options);
    const std::string january = store + "@2016-01";
    EXPECT_EQ(ok_json({"graph", "stats", january})["edges"], 1);
    const std::string more = file("more", "7 8 2016-03-01\n8 9 2016-03-02\n9 7 2016-03-03\n");
    const auto before = files_in(directory);
    for (const std::string& name : {january, store + "@2016-09"}) {
      const std::vector<arguments> all{
          {"graph", "ingest", name, more, "--time-column", "3"},
          {"graph", "append", name, more, "--time-column", "3", "--bucket", "month"},
          {"graph", "build", name, more},
          {"graph", "freeze", name},
          {"array", "import", name + ":u", at("t.csv")},
          {"repair", name},
          {"rm", name},
          {"copy", store, name},
          {"snapshot", store, name},
          {"stage", "in", store, name},
          {"stage", "out", name, store},
          {"stage", "out", store, name},
      };
      for (const arguments& one : all)
        EXPECT_NE(fails(one).find(name + " stands for a kept checkpoint of " + store), std::string::npos)
            << testing::PrintToString(one);
    }
    EXPECT_EQ(files_in(directory), before);
    EXPECT_EQ(ok_json({"graph", "stats", january})["edges"], 1);
    EXPECT_EQ(ok_json({"graph", "stats", store})["edges"], 2);
  }
};

TEST_F(a_kept_checkpoint, is_not_hidden_by_commands_that_write) {
  is_not_hidden_by_commands_that_write(path("full"), {"--full-copies"});
}

TEST_F(a_kept_checkpoint, is_not_hidden_by_commands_that_write_on_xfs) {
  const perdure::loop_mount mount("xfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  is_not_hidden_by_commands_that_write(mount.path());
}

TEST_F(a_kept_checkpoint, is_read_by_every_command_that_reads) {
  const std::string store = at("m");
  make_store(store, {"--full-copies"});
  const std::string january = store + "@2016-01";
  const std::string february = store + "@2016-02";
  const auto before = files_in(path("m"));
  const auto edges = [](const std::string& of) { return ok_json({"graph", "info", of})["edges"].get<int>(); };
  EXPECT_EQ(edges(january), 1);
  EXPECT_EQ(edges(february), 2);
  EXPECT_EQ(edges(store + "@" + std::to_string(ok_json({"info", january})["epoch"].get<int>())), 1);
  EXPECT_EQ(ok_json({"info", january})["store"], january);
  EXPECT_FALSE(ok_json({"info", january})["backings"][0].contains("why_not"));
  EXPECT_EQ(ok_json({"log", january})["checkpoints"].back()["label"], "2016-01");
  EXPECT_NE(ok({"ls", january, "graph"}).find("graph"), std::string::npos);
  ok({"verify", january, "--pointers"});
  EXPECT_EQ(ok({"graph", "export", january, "-o", "-"}), "1\t2\t1451952000\n");
  EXPECT_EQ(ok_json({"graph", "bfs", january, "--source", "1", "--check"})["reached"], 2);
  for (const char* const question :
       {"stats", "properties", "cc", "pagerank", "tc", "scc", "kcore", "louvain"})
    ok({"graph", question, january});
  EXPECT_EQ(ok({"array", "dump", january + ":t[1:]"}), ok({"array", "dump", store + ":t[1:]"}));
  EXPECT_EQ(ok_json({"array", "ls", january})["arrays"].size(), 1U);
  ok({"array", "stat", january + ":t"});
  ok({"array", "export", january + ":t", at("t.npy")});
  ok({"array", "diff", january + ":t", store + ":t"});
  EXPECT_NE(perdure_run({"diff", january, february}).out.find("changed  graph"), std::string::npos);
  for (const char* const command : {"copy", "snapshot"}) {
    ok({command, january, at(command)});
    EXPECT_EQ(edges(at(command)), 1);
  }
  ok({"stage", "in", january, at("staged")});
  EXPECT_EQ(files_in(path("m")), before);
  // Every reading command explains the name.
  for (const char* const command : {"info", "ls", "log", "verify", "copy", "diff"})
    EXPECT_NE(ok({command, "--help"}).find("STORE@LABEL"), std::string::npos) << command;
}

TEST_F(a_kept_checkpoint, is_opened_by_its_epoch_where_a_later_one_has_its_label) {
  const std::string store = at("m");
  make_store(store, {"--full-copies"});
  const std::string first = std::to_string(ok_json({"info", store + "@2016-02"})["epoch"].get<int>());
  const auto append = [&](const std::string& text, const char* option) {
    ok({"graph", "append", store, file(text.substr(0, 1), text), "--bucket", "month", "--time-column", "3",
        "--weight-column", "none", option});
  };
  append("5 6 2016-02-06\n", "--full-copies");
  const auto edges = [&](const std::string& of) { return ok_json({"graph", "info", store + of})["edges"]; };
  EXPECT_EQ(edges("@2016-02"), 3);
  EXPECT_EQ(edges("@" + first), 2);
  EXPECT_NE(ok({"log", store})
                .find("2016-02  (kept; a later one has this label: open " + store + "@" + first + ")\n"),
            std::string::npos);
  EXPECT_NE(fails({"ls", store + "@2016-07"}).find("no checkpoint has the label \"2016-07\""),
            std::string::npos);
  // The newest with the label is not kept, and no older one stands in for it.
  append("7 8 2016-02-07\n", "--keep=0");
  EXPECT_NE(fails({"ls", store + "@2016-02"}).find("but an older one of that label: open"),
            std::string::npos);
}

TEST_F(a_kept_checkpoint, is_not_made_where_blocks_are_not_shared_unless_asked_for) {
  const perdure::loop_mount mount("ext4", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  const std::string store = (mount.path() / "m").string();
  arguments append{
      "graph",           "append", store,           file("two", "1 2 2016-01-05\n2 3 2016-02-05\n"),
      "--bucket",        "month",  "--time-column", "3",
      "--weight-column", "none"};
  EXPECT_NE(ok(append).find("kept           none: the file system shares no blocks"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(mount.path() / "m" / "epochs"));
  EXPECT_NE(fails({"graph", "info", store + "@2016-01"}).find("or never kept"), std::string::npos);
  ok({"rm", store});
  append.push_back("--full-copies");
  const nlohmann::json made = ok_json(append);
  EXPECT_EQ(made["kept"], true);
  EXPECT_FALSE(made.contains("why_not_kept"));
  EXPECT_EQ(ok_json({"graph", "info", store + "@2016-01"})["edges"], 1);

  const std::string indexed = (mount.path() / "k").string();
  ok({"kmer", "generate", at("drawn"), "--taxa", "2", "--genome-bases", "1000", "--reads", "1"});
  arguments build{"kmer",
                  "build",
                  indexed,
                  "--genomes",
                  at("drawn/genomes.fa"),
                  "--taxonomy",
                  at("drawn/nodes.dmp"),
                  at("drawn/names.dmp"),
                  "--label",
                  "first"};
  const outcome unkept = perdure_run(build);
  EXPECT_EQ(unkept.status, 0);
  EXPECT_EQ(unkept.err, "perdure: " + indexed +
                            ": the checkpoint first is not kept, as the file system shares no blocks between "
                            "files; --full-copies keeps it, at the size of the store\n");
  EXPECT_NE(fails({"kmer", "stats", indexed + "@first"}).find("no checkpoint has the label \"first\""),
            std::string::npos);
  ok({"rm", indexed});
  build.push_back("--full-copies");
  EXPECT_EQ(ok_json(build)["kept"], true);
  EXPECT_EQ(ok_json({"kmer", "stats", indexed + "@first"})["sequences"], 2);
}

}  // namespace
