// Checkpoints that a store keeps: how they are found and read, and that nothing changes them.
#include <fstream>
#include <map>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_maintenance.hpp>

#include "segment/segment.hpp"
#include "support/errors.hpp"
#include "support/loop_mount.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

namespace fs = std::filesystem;

store_options keeping(unsigned last, bool full_copies = true) {
  store_options options = small_store();
  options.keep_last = last;
  options.keep_full_copies = full_copies;
  return options;
}

/// Adds checkpoints with these labels; page 7 has the number of the checkpoint that it is in.
void add_checkpoints(datastore& store, const std::vector<std::string>& labels) {
  if (store.memory().size() == 0) store.memory().grow(4 * mib);
  for (const std::string& label : labels) {
    put(store, 7, store.epoch() + 1);
    store.checkpoint({}, label);
  }
}

void make_store(const fs::path& where, const std::vector<std::string>& labels,
                const store_options& options = keeping(100)) {
  add_checkpoints(*datastore::create(where, options), labels);
}

fs::path operator+(fs::path path, const std::string& more) {
  return path += more;
}

std::vector<std::uint64_t> kept_in(const fs::path& store) {
  std::vector<std::uint64_t> epochs;
  for (const kept_checkpoint& one : kept_checkpoints(store)) epochs.push_back(one.epoch);
  return epochs;
}

using epochs = std::vector<std::uint64_t>;

class kept_checkpoints_of_a_store : public scratch_test {
 protected:
  static void are_the_last_labelled_ones(const fs::path& where) {
    make_store(where, {"number 1", "number 2", "", "number 4"}, keeping(2, false));
    const auto log = store_maintenance::log(where);
    ASSERT_EQ(log.size(), 4u);
    for (const checkpoint_record& one : log)
      EXPECT_EQ(one.kept, one.epoch == 2 || one.epoch == 4) << one.epoch;
    EXPECT_EQ(kept_in(where), (epochs{2, 4}));
    EXPECT_TRUE(has(*datastore::open_read_only(where + "@number 2"), 7, 2));
    EXPECT_FALSE(fs::exists(where / "epochs" / "1"));
    EXPECT_TRUE(store_maintenance::verify(where).whole());
    EXPECT_TRUE(store_maintenance::verify(where + "@number 2").whole());
    EXPECT_TRUE(store_maintenance::remove(where));
    EXPECT_FALSE(fs::exists(where));
  }
  /// The files of the directory, with their bytes.
  static std::map<std::string, std::string> content_of(const fs::path& directory) {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
      std::ifstream file(entry.path(), std::ios::binary);
      std::string& bytes = found[entry.path().string()];
      if (entry.is_regular_file()) bytes.assign(std::istreambuf_iterator<char>(file), {});
    }
    return found;
  }
};

TEST_F(kept_checkpoints_of_a_store, are_the_last_labelled_ones_on_xfs) {
  const loop_mount mount("xfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  are_the_last_labelled_ones(mount.path() / "store");
}

TEST_F(kept_checkpoints_of_a_store, are_the_last_labelled_ones_on_btrfs) {
  const loop_mount mount("btrfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  are_the_last_labelled_ones(mount.path() / "store");
}

TEST_F(kept_checkpoints_of_a_store, are_where_the_store_is_though_the_working_directory_changes) {
  const fs::path before = fs::current_path();
  fs::current_path(path().parent_path());
  {
    const auto store = datastore::create("store", keeping(2));
    fs::current_path(before);
    add_checkpoints(*store, {"elsewhere"});
  }
  EXPECT_TRUE(fs::exists(path() / "epochs" / "1"));
}

TEST_F(kept_checkpoints_of_a_store, are_full_copies_where_blocks_cannot_be_shared_if_asked_for) {
  const loop_mount mount("ext4", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  const fs::path where = mount.path() / "store";
  {
    const auto store = datastore::create(where, keeping(2, false));
    store->memory().grow(4 * mib);
    put(*store, 7, 1);
    EXPECT_TRUE(fails_with(errc::unsupported, "XFS", [&] { store->checkpoint({}, "label"); }));
    EXPECT_EQ(store->epoch(), 0u);
    store->checkpoint();
    EXPECT_EQ(store->epoch(), 1u);
  }
  EXPECT_FALSE(fs::exists(where / "epochs"));
  add_checkpoints(*datastore::open(where, keeping(2)), {"a", "b", "c"});
  EXPECT_EQ(kept_in(where), (epochs{3, 4}));
  EXPECT_TRUE(has(*datastore::open_read_only(where + "@b"), 7, 3));
}

TEST_F(kept_checkpoints_of_a_store, are_found_by_label_and_by_epoch) {
  make_store(path(), {"a", "b", "b", "1", "x/y", "u@v"});
  const auto all = kept_checkpoints(path());
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].label, "a");
  EXPECT_EQ(all[0].path, path() / "epochs" / "1");
  EXPECT_GT(all[0].time_ns, 0u);
  for (const char* const journal : {"jrnl.0", "jrnl.1"})
    EXPECT_EQ(fs::file_size(all[0].path / journal), page_size) << "a journal of a copy that is at home";
  EXPECT_EQ(find_kept_checkpoint(path(), "b").epoch, 3u);
  EXPECT_EQ(find_kept_checkpoint(path(), 2).label, "b");
  EXPECT_EQ(find_kept_checkpoint(path() + "/", 2).label, "b");
  EXPECT_TRUE(has(*datastore::open_read_only(find_kept_checkpoint(path(), 2).path), 7, 2));
  const std::map<std::string, std::uint64_t> names{{"@a", 1},   {"@b", 3},   {"@2", 2}, {"@1", 4},
                                                   {"@x/y", 5}, {"@u@v", 6}, {"@a/", 1}};
  for (const auto& [name, epoch] : names)
    EXPECT_TRUE(has(*datastore::open_read_only(path() + name), 7, epoch)) << name;
}

TEST_F(kept_checkpoints_of_a_store, are_read_as_stores_are_also_beside_a_writer) {
  {
    manager store(create_only, path(), keeping(2));
    store.construct<int>("number")(1);
    store.checkpoint("one");
    *store.find<int>("number").first = 2;
    store.checkpoint("two");
    const manager earlier(open_read_only, path() + "@one");
    EXPECT_EQ(*earlier.find<int>("number").first, 1);
    EXPECT_TRUE(earlier.read_only());
    manager changed(open_copy_on_write, path() + "@one");
    *changed.find<int>("number").first = 3;
    EXPECT_TRUE(fails_with(errc::read_only, "", [&] { changed.checkpoint(); }));
    EXPECT_EQ(store_maintenance::log(path() + "@one").back().label, "one");
    EXPECT_TRUE(manager::exists(path() + "@one"));
    EXPECT_FALSE(manager::exists(path() + "@three"));
    store_maintenance::copy(path() + "@one", path("copy"));
    EXPECT_TRUE(manager::verify(path() + "@one").whole());
  }
  // A copy is a store of its own, and may be changed.
  manager copy(open_only, path("copy"));
  EXPECT_EQ(*copy.find<int>("number").first, 1);
  *copy.find<int>("number").first = 4;
  copy.close();
  EXPECT_EQ(*manager(open_read_only, path() + "@one").find<int>("number").first, 1);
}

TEST_F(kept_checkpoints_of_a_store, have_plain_pointers_where_the_store_is_pinned) {
  {
    pinned_manager store(create_only, path(), keeping(2));
    int* const target = store.construct<int>("target")(5);
    store.construct<int*>("pointer")(target);
    store.checkpoint("one");
    *target = 6;
  }
  const pinned_manager earlier(open_read_only, path() + "@one");
  EXPECT_EQ(**earlier.find<int*>("pointer").first, 5);
}

TEST_F(kept_checkpoints_of_a_store, cannot_be_changed) {
  make_store(path(), {"a", "b"});
  store_maintenance::copy(path(), path("other"));
  fs::create_directory_symlink(path() / "epochs" / "1", path("link"));
  const auto before = content_of(path());
  for (const fs::path& name :
       {path() + "@a", path() + "@1", path() + "@new", path() / "epochs" / "1", path("link")}) {
    const auto is_refused = [&name](auto&& action) {
      EXPECT_TRUE(fails_with(errc::read_only, "kept checkpoint of ", action)) << name;
    };
    is_refused([&] { datastore::open(name); });
    is_refused([&] { manager(open_only, name); });
    is_refused([&] { manager(open_or_create, name); });
    is_refused([&] { store_maintenance::repair(name); });
    is_refused([&] { store_maintenance::raise_capacity(name, 2 * gib); });
    is_refused([&] { store_maintenance::stage_out(path("other"), name); });
    is_refused([&] { store_maintenance::stage_out(name, path("other")); });
    is_refused([&] { require_changeable_store(name); });
  }
  for (const fs::path& name : {path() + "@a", path() + "@new"}) {
    const auto is_refused = [](auto&& action) {
      EXPECT_TRUE(fails_with(errc::read_only, "kept checkpoint of ", action));
    };
    is_refused([&] { datastore::create(name, small_store()); });
    is_refused([&] { store_maintenance::remove(name); });
    is_refused([&] { store_maintenance::copy(path("other"), name); });
    is_refused([&] { datastore::open_read_only(path("other"))->snapshot(name); });
    is_refused([&] { datastore::open(path("other"))->snapshot(name); });
    EXPECT_FALSE(fs::exists(name));
  }
  EXPECT_EQ(content_of(path()), before);
  require_changeable_store(path());
  require_changeable_store(path("nothing"));
}

TEST_F(kept_checkpoints_of_a_store, stand_behind_a_directory_that_has_the_name) {
  make_store(path(), {"a", "b"});
  fs::create_directory(path() + "@a");
  EXPECT_TRUE(fails_with(errc::not_a_store, "", [&] { datastore::open_read_only(path() + "@a"); }));
  make_store(path() + "@a", {"", "", ""});
  EXPECT_TRUE(has(*datastore::open_read_only(path() + "@a"), 7, 3));
  // That store has names of its own; and what is in a directory with such a name is a path.
  add_checkpoints(*datastore::open(path() + "@a", keeping(1)), {"c"});
  EXPECT_TRUE(has(*datastore::open_read_only(path() + "@a@c"), 7, 4));
  make_store((path() + "@a") / "inner", {""});
  EXPECT_TRUE(has(*datastore::open_read_only((path() + "@a") / "inner"), 7, 1));
  EXPECT_TRUE(store_maintenance::remove((path() + "@a") / "inner"));
  EXPECT_TRUE(store_maintenance::remove(path() + "@a"));
  EXPECT_TRUE(has(*datastore::open_read_only(path() + "@a"), 7, 1));
  // Without a store before it '@' means nothing.
  EXPECT_EQ(parse_store_name(path("store@")).store, path("store@"));
  fs::create_directory(path() / "others");
  make_store(path() / "others" / "5", {""});
  require_changeable_store(path() / "others" / "5");
  for (const char* name : {"@x", "nothing@x", "x@", "store@"}) {
    make_store(path(name), {""});
    EXPECT_TRUE(fs::exists(path(name) / "super")) << name;
  }
}

TEST_F(kept_checkpoints_of_a_store, are_named_when_they_are_gone) {
  make_store(path(), {"a", "b", "b", "c"}, keeping(3));
  const auto is_not_found = [this](const std::string& name, const std::string& words) {
    EXPECT_TRUE(fails_with(errc::not_found, words, [&] { datastore::open_read_only(path() + name); }));
  };
  const std::string store = path().string();
  is_not_found("@a", store + " does not keep the checkpoint \"a\" of epoch 1");
  is_not_found("@x", store + ": no checkpoint has the label \"x\"");
  is_not_found("@1", store + ": no checkpoint has the label \"1\", and none of that epoch is kept");
  is_not_found("@x \n\x7f", "the label \"x ??\"");
  is_not_found("@99999999999999999999", "no checkpoint has the label");
  EXPECT_TRUE(fails_with(errc::not_found, "epoch 1", [&] { find_kept_checkpoint(path(), 1); }));
  EXPECT_TRUE(fails_with(errc::not_found, "label \"\"", [&] { find_kept_checkpoint(path(), ""); }));
  EXPECT_TRUE(fails_with(errc::not_found, "", [&] { kept_checkpoints(path("nothing")); }));
  // An older one of the same label is not taken for the newest.
  fs::remove_all(path() / "epochs" / "3");
  EXPECT_EQ(kept_in(path()), (epochs{2, 4}));
  is_not_found("@b", "the checkpoint \"b\" of epoch 3, but an older one of that label: open " + store + "@2");
  add_checkpoints(*datastore::open(path()), {"c"});
  is_not_found("@c", "open " + store + "@4");
  EXPECT_TRUE(has(*datastore::open_read_only(path() + "@4"), 7, 4));
}

TEST_F(kept_checkpoints_of_a_store, know_their_labels_when_the_log_of_the_store_has_lost_them) {
  make_store(path(), {"a"});
  fs::remove(path() / "log");
  EXPECT_EQ(kept_checkpoints(path()).at(0).label, "a");
  EXPECT_TRUE(has(*datastore::open_read_only(path() + "@a"), 7, 1));
}

TEST_F(kept_checkpoints_of_a_store, stay_while_they_are_read) {
  const auto store = datastore::create(path(), keeping(1));
  add_checkpoints(*store, {"a"});
  {
    const auto reader = datastore::open_read_only(path() + "@a");
    add_checkpoints(*store, {"b", "c"});
    EXPECT_EQ(kept_in(path()), (epochs{1, 3}));
    EXPECT_TRUE(has(*reader, 7, 1));
  }
  add_checkpoints(*store, {"d"});
  EXPECT_EQ(kept_in(path()), (epochs{4}));
}

TEST_F(kept_checkpoints_of_a_store, do_not_make_room_where_something_else_is) {
  const auto store = datastore::create(path(), keeping(1));
  fs::create_directories(path() / "epochs" / "0");
  std::ofstream(path() / "epochs" / "0" / "notes") << "mine";
  EXPECT_TRUE(fails_with(errc::not_a_store, "holds no datastore", [&] { add_checkpoints(*store, {"a"}); }));
  EXPECT_TRUE(fs::exists(path() / "epochs" / "0" / "notes"));
  EXPECT_EQ(kept_in(path()), (epochs{1}));
}

TEST_F(kept_checkpoints_of_a_store, leave_nothing_where_a_crash_cut_their_making_short) {
  const auto store = datastore::create(path(), keeping(2));
  add_checkpoints(*store, {"a"});
  const auto leave_half = [this] {
    fs::create_directories(path() / "epochs" / ".7.new-0123abcd");
    std::ofstream(path() / "epochs" / ".7.new-0123abcd" / "LOCK").flush();
  };
  leave_half();
  EXPECT_EQ(kept_in(path()), (epochs{1}));
  add_checkpoints(*store, {"b"});
  EXPECT_FALSE(fs::exists(path() / "epochs" / ".7.new-0123abcd"));
  leave_half();
  store->close();
  EXPECT_TRUE(store_maintenance::remove(path()));
  EXPECT_FALSE(fs::exists(path()));
}

}  // namespace
}  // namespace perdure
