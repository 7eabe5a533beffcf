// The subcommands that look after stores: verify, repair, snapshot, copy, rm, log, stage.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <perdure/perdure.hpp>
#include <utility>

#include "support/program.hpp"
#include "support/scratch_test.hpp"

namespace {
using nlohmann::json;
using perdure::test::outcome;
using perdure::test::perdure_run;

using arguments = std::vector<std::string>;

class looking_after_stores : public perdure::scratch_test {
 protected:
  looking_after_stores() = default;
  explicit looking_after_stores(const std::filesystem::path& parent) : scratch_test(parent) {}

  std::string at(const std::string& name) const { return path(name).string(); }

  void make_store(const std::string& name = "store") {
    std::ofstream(path("edges.txt")) << "10 20\n20 30\n7 8\n";
    const outcome made = perdure_run({"graph", "ingest", at(name), at("edges.txt")});
    ASSERT_EQ(made.status, 0) << made.err;
  }
  std::string ok(const arguments& a) {
    const outcome o = perdure_run(a);
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_EQ(o.err, "");
    return o.out;
  }
  json ok_json(arguments a) {
    a.push_back("--json");
    return json::parse(ok(a));
  }
  void fails(const arguments& a, const std::string& words) {
    const outcome o = perdure_run(a);
    EXPECT_EQ(o.status, 1) << o.out;
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
  // The first byte of the segment's first page that holds the heap's header.
  void damage_a_page() {
    std::fstream file(path() / "heap.000", std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(2 << 20);
    const int before = file.get();
    file.seekp(2 << 20);
    file.put(static_cast<char>(before ^ 1));
  }
};

TEST_F(looking_after_stores, commands_check_pages_when_they_use_them_if_told_to) {
  make_store();
  for (const char* mode : {"journal", "open", "lazy"}) {
    EXPECT_NE(ok({"ls", at("store"), "--verify", mode}).find("graph"), std::string::npos);
    EXPECT_EQ(ok_json({"graph", "info", at("store"), "--verify", mode})["edges"], 3);
  }
  EXPECT_EQ(ok_json({"graph", "cc", at("store"), "--verify-store", "lazy"})["vertices"], 5);
  ok({"graph", "ingest", at("store"), at("edges.txt"), "--append", "--verify", "lazy"});
  EXPECT_EQ(perdure_run({"ls", at("store"), "--verify", "sometimes"}).status, 2);
  damage_a_page();
  fails({"ls", at("store"), "--verify", "lazy"}, "heap.000 at byte 2097152, page 0, epoch 3: its bytes");
  ::setenv("PERDURE_VERIFY", "lazy", 1);
  fails({"graph", "info", at("store")}, "page 0, epoch 3");
  ::unsetenv("PERDURE_VERIFY");
}

TEST_F(looking_after_stores, shows_and_copies_a_store_that_is_being_written) {
  make_store();
  perdure::manager writer(perdure::open_only, path());
  writer.construct<int>("answer")(42);
  writer.checkpoint("now");
  writer.construct<int>("not yet")(43);
  const std::uint64_t epoch = writer.store().epoch();
  EXPECT_EQ(ok_json({"info", at("store")})["epoch"], epoch);
  EXPECT_NE(ok({"ls", at("store")}).find("answer"), std::string::npos);
  EXPECT_EQ(ok({"ls", at("store")}).find("not yet"), std::string::npos);
  EXPECT_EQ(ok_json({"verify", at("store")})["whole"], true);
  EXPECT_EQ(ok_json({"copy", at("store"), at("copy")})["epoch"], epoch);
  EXPECT_EQ(ok_json({"snapshot", at("store"), at("snapshot")})["epoch"], epoch);
  writer.store().wait_applied();
  EXPECT_NE(ok({"log", at("store")}).find("now"), std::string::npos);
  writer.close();
  EXPECT_NE(ok({"ls", at("store")}).find("not yet"), std::string::npos);
  EXPECT_EQ(ok_json({"verify", at("copy")})["whole"], true);
  EXPECT_EQ(ok({"ls", at("snapshot")}).find("not yet"), std::string::npos);
}

// Where blocks cannot be shared.
class looking_at_stores_in_use : public looking_after_stores {
 protected:
  looking_at_stores_in_use() : looking_after_stores(perdure::fast_directory()) {}
};

TEST_F(looking_at_stores_in_use, commands_that_read_say_what_works_or_wait) {
  make_store();
  perdure::manager writer(perdure::open_only, path());
  const arguments info{"graph", "info", at("store")};
  const std::string process_number = "it is open for writing by process " + std::to_string(::getpid());
  fails(info, process_number);
  fails(
      info,
      "would hold the writer up; read a snapshot (perdure snapshot STORE COPY), or wait until the writer has "
      "ended with --wait SECONDS\n");
  EXPECT_GT(ok_json({"info", at("store")})["heap"]["blocks"], 0);
  EXPECT_EQ(ok_json({"verify", at("store"), "--wait", "1"})["whole"], true);
  perdure::test::process waiting(
      {perdure::test::perdure_program(), "graph", "info", at("store"), "--wait", "600"});
  writer.construct<int>("answer")(42);
  writer.close();
  const outcome in_the_end = waiting.wait();
  EXPECT_EQ(in_the_end.status, 0) << in_the_end.err;
}

TEST_F(looking_at_stores_in_use, commands_that_write_name_readers_or_wait_for_them) {
  make_store();
  std::optional<perdure::manager> reader(std::in_place, perdure::open_read_only, path());
  std::ofstream(path("more.txt")) << "1 2\n";
  const arguments ingest{"graph", "ingest", at("store"), at("more.txt")};
  fails(ingest, "it is open for reading by process " + std::to_string(::getpid()) + " (test_");
  fails(ingest, "; end them first, or wait for their end with --wait SECONDS; programs that read a snapshot");
  fails({"rm", at("store")}, "; end them first; programs that read a snapshot");
  perdure::test::process waiting(
      {perdure::test::perdure_program(), "graph", "ingest", at("store"), at("more.txt"), "--wait", "600"});
  reader.reset();
  const outcome in_the_end = waiting.wait();
  EXPECT_EQ(in_the_end.status, 0) << in_the_end.err;
  EXPECT_EQ(ok_json({"graph", "info", at("store")})["edges"], 4);
}

TEST_F(looking_after_stores, verify_says_whole_or_names_the_damage) {
  make_store();
  EXPECT_NE(ok({"verify", at("store")}).find("whole at epoch"), std::string::npos);
  json report = ok_json({"verify", at("store")});
  EXPECT_EQ(report["whole"], true);
  EXPECT_GT(report["pages"], 0);
  damage_a_page();
  const outcome bad = perdure_run({"verify", at("store")});
  EXPECT_EQ(bad.status, 1);
  EXPECT_EQ(bad.err, "");
  EXPECT_NE(bad.out.find("heap.000 at byte 2097152, page 0, epoch "), std::string::npos) << bad.out;
  const outcome bad_json = perdure_run({"verify", at("store"), "--json", "--threads", "2"});
  EXPECT_EQ(bad_json.status, 1);
  report = json::parse(bad_json.out);
  EXPECT_EQ(report["whole"], false);
  EXPECT_EQ(report["damages"], 1);
  EXPECT_EQ(report["findings"][0]["part"], "home_page");
  EXPECT_EQ(report["findings"][0]["page"], 0);
  fails({"verify", at("nothing")}, "there is no datastore");
}

TEST_F(looking_after_stores, repair_mends_or_says_what_is_left) {
  make_store();
  EXPECT_NE(ok({"repair", at("store")}).find("nothing to repair"), std::string::npos);
  std::filesystem::remove(path() / "crc");
  EXPECT_EQ(perdure_run({"verify", at("store")}).status, 1);
  EXPECT_NE(ok({"repair", at("store")}).find("done: "), std::string::npos);
  ok({"verify", at("store")});
  damage_a_page();
  const outcome left = perdure_run({"repair", at("store"), "--json"});
  EXPECT_EQ(left.status, 1);
  EXPECT_EQ(json::parse(left.out)["after"]["damages"], 1);
  const json accepted = ok_json({"repair", at("store"), "--accept-damage"});
  EXPECT_EQ(accepted["whole"], true);
}

TEST_F(looking_after_stores, what_killed_commands_left_is_removed_by_the_next_and_by_repair) {
  const auto leave_half = [this](const std::string& name) {
    std::filesystem::create_directory(path(name));
    std::ofstream(path(name) / "LOCK") << "process 1";
    std::ofstream(path(name) / "heap.000") << "half";
  };
  leave_half(".store.new-0123abcd");
  make_store();
  EXPECT_FALSE(std::filesystem::exists(path(".store.new-0123abcd")));
  leave_half(".store.new-4567cdef");
  EXPECT_NE(ok({"repair", at("store")}).find("done: removed .store.new-4567cdef"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path(".store.new-4567cdef")));
  leave_half(".built.new-89abcdef");
  ok({"graph", "build", at("built"), at("edges.txt"), "--budget", "64MiB"});
  EXPECT_FALSE(std::filesystem::exists(path(".built.new-89abcdef")));
  leave_half(".gone.new-01234567");
  fails({"repair", at("gone")}, "what it left (.gone.new-01234567) is removed now");
  EXPECT_FALSE(std::filesystem::exists(path(".gone.new-01234567")));
}

TEST_F(looking_after_stores, copies_are_stores_and_rm_removes_them) {
  make_store();
  const json copied = ok_json({"copy", at("store"), at("one")});
  EXPECT_GT(copied["epoch"], 0);
  ok({"snapshot", at("store"), at("two")});
  ok({"verify", at("one")});
  ok({"verify", at("two")});
  EXPECT_EQ(ok_json({"graph", "info", at("one")})["edges"], ok_json({"graph", "info", at("store")})["edges"]);
  fails({"copy", at("store"), at("one")}, "exists already");
  ok({"rm", at("one"), at("two")});
  EXPECT_FALSE(std::filesystem::exists(path("one")));
  fails({"rm", at("one")}, "there is no datastore");
  ok({"rm", "--force", at("one")});
}

/// A class whose pointer the compiler does not see.
class pointing {
 public:
  explicit pointing(const void* address) : address_(address) {}

 private:
  std::uint64_t number_ = 7;
  const void* address_;
};

TEST_F(looking_after_stores, verify_names_raw_pointers) {
  const void* inside = nullptr;
  {
    perdure::manager store(perdure::create_only, at("store"));
    inside = store.construct<int>("target")(1);
    store.construct<pointing>("bad")(inside);
  }
  const outcome o = perdure_run({"verify", "--pointers", at("store"), "--json"});
  EXPECT_EQ(o.status, 1) << o.err;
  const json report = json::parse(o.out);
  EXPECT_EQ(report["whole"], true);
  EXPECT_EQ(report["pointers"]["places"], 1);
  const json row = report["pointers"]["found"][0];
  EXPECT_EQ(row["kind"], "named");
  EXPECT_EQ(row["name"], "bad");
  EXPECT_EQ(row["offset"], 8);
  EXPECT_EQ(std::stoull(row["word"].get<std::string>(), nullptr, 16),
            reinterpret_cast<std::uintptr_t>(inside));
  const outcome text = perdure_run({"verify", "--pointers", at("store")});
  EXPECT_EQ(text.status, 1);
  EXPECT_NE(text.out.find("looks like a raw pointer: \"bad\" ("), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("offset 8: 0x"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("1 word looks like a raw pointer"), std::string::npos) << text.out;
  EXPECT_EQ(perdure_run({"verify", at("store")}).status, 0);
  {
    perdure::manager store(perdure::open_only, at("store"));
    store.destroy<pointing>("bad");
  }
  EXPECT_NE(ok({"verify", "--pointers", at("store")}).find("nothing looks like a raw pointer"),
            std::string::npos);
  damage_a_page();
  const outcome damaged = perdure_run({"verify", "--pointers", at("store")});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_NE(damaged.out.find("were not looked for"), std::string::npos) << damaged.out;
}

/// Its member is not seen.
class closed_type {
 public:
  explicit closed_type(int number) : number_(number) {}
  ~closed_type() { number_ = 0; }

 private:
  int number_;
};

TEST_F(looking_after_stores, diff_names_objects_that_changed_and_counts_pages) {
  {
    perdure::manager store(perdure::create_only, at("store"));
    auto& deep = *store.construct<perdure::vector<perdure::vector<int>>>("deep")();
    for (int i = 0; i < 3; ++i) deep.emplace_back(1000, i);
    store.construct<perdure::vector<int>>("same")(1000, 1);
    store.construct<int>("gone")(1);
    store.construct<int>("own")(1);
    store.construct<closed_type>("closed")(1);
    store.construct<double>(perdure::unique_instance)(1);
  }
  perdure::manager::copy(at("store"), at("before"));
  EXPECT_NE(ok({"diff", at("before"), at("store")}).find("0 of "), std::string::npos);
  {
    perdure::manager store(perdure::open_only, at("store"));
    (*store.find<perdure::vector<perdure::vector<int>>>("deep").first)[1][500] = 7;
    store.destroy<int>("gone");
    *store.find<int>("own").first = 2;
    store.construct<int>("new")(1);
  }
  const outcome o = perdure_run({"diff", at("before"), at("store"), "--json"});
  EXPECT_EQ(o.status, 1) << o.err;
  const json report = json::parse(o.out);
  std::map<std::string, std::string> objects;
  for (const json& one : report["objects"]) objects[one["name"]] = one["what"];
  EXPECT_EQ(objects, (std::map<std::string, std::string>{{"deep", "changed"},
                                                         {"gone", "removed"},
                                                         {"own", "changed"},
                                                         {"new", "added"},
                                                         {"closed", "unsure"}}));
  EXPECT_EQ(report["same_objects"], 2);
  EXPECT_GE(report["different_pages"], 2);
  EXPECT_LT(report["different_pages"], 30);
  const outcome text = perdure_run({"diff", at("before"), at("store")});
  EXPECT_NE(text.out.find("changed  deep  vector of vector of int32\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("between epochs 2 and 3; 2 objects are the same\n"), std::string::npos) << text.out;

  { perdure::manager other(perdure::create_only, at("other")); }
  fails({"diff", at("store"), at("other")}, "are no copies of one store");
}

TEST_F(looking_after_stores, log_lists_checkpoints) {
  make_store();
  const json log = ok_json({"log", at("store")});
  ASSERT_FALSE(log["checkpoints"].empty());
  const json& last = log["checkpoints"].back();
  EXPECT_EQ(last["epoch"], ok_json({"info", at("store")})["epoch"]);
  EXPECT_EQ(last["time"].get<std::string>().size(), 20u);
  EXPECT_EQ(ok_json({"log", at("store"), "--last", "1"})["checkpoints"].size(), 1u);
  EXPECT_NE(ok({"log", at("store")}).find("Z "), std::string::npos);
}

TEST_F(looking_after_stores, staging_writes_back_or_refuses) {
  make_store();
  ok({"stage", "in", at("store"), at("fast")});
  std::ofstream(path("more.txt")) << "30 40\n40 50\n";
  ok({"graph", "ingest", at("fast"), at("more.txt")});
  const json out = ok_json({"stage", "out", at("fast"), at("store")});
  EXPECT_GT(out["pages_written"], 0);
  EXPECT_LT(out["pages_written"], out["pages"]);
  ok({"verify", at("store")});
  EXPECT_EQ(ok_json({"graph", "info", at("store")})["edges"],
            ok_json({"graph", "info", at("fast")})["edges"]);
  ok({"graph", "ingest", at("store"), at("more.txt"), "--append"});
  ok({"graph", "ingest", at("fast"), at("more.txt"), "--append"});
  fails({"stage", "out", at("fast"), at("store")}, "writing back would undo");
}

}  // namespace
