// Copies of a store go on to checkpoints with the same numbers. What belongs to one history must not be taken
// for a part of the other.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <perdure/datastore.hpp>
#include <perdure/prepared_checkpoint.hpp>
#include <perdure/store_maintenance.hpp>
#include <string_view>

#include "segment/segment.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/checkpoint_identity.hpp"
#include "store/file/journal.hpp"
#include "store/file/super_block.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

namespace fs = std::filesystem;

class a_history : public scratch_test {
 protected:
  // Both at checkpoint 1.
  void make_store_and_copy() {
    {
      const auto store = datastore::create(path(), small_store());
      store->memory().grow(4 * mib);
      for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, page + 1);
      store->checkpoint();
    }
    store_maintenance::copy(path(), copy_);
  }
  static void go_on(const fs::path& store, std::uint64_t page, std::uint64_t value) {
    const auto opened = datastore::open(store);
    put(*opened, page, value);
    opened->checkpoint();
  }
  void take_from_copy(const char* file) {
    fs::copy_file(copy_ / file, path() / file, fs::copy_options::overwrite_existing);
  }
  ::testing::AssertionResult is_refused_for(const char* file) {
    if (auto writing = fails_with(errc::damaged, file, [&] { datastore::open(path()); }); !writing)
      return writing;
    if (auto reading = fails_with(errc::damaged, file, [&] { datastore::open_read_only(path()); }); !reading)
      return reading;
    const verify_report report = store_maintenance::verify(path());
    if (report.whole()) return ::testing::AssertionFailure() << "verification finds nothing";
    if (report.findings.front().file != file)
      return ::testing::AssertionFailure() << "verification names " << report.findings.front().file;
    return ::testing::AssertionSuccess();
  }
  static store::layout::super_slot super_of(const fs::path& store) {
    return store::super_block::load(os::file::open_directory(store), false).now();
  }

  const fs::path copy_ = path("copy");
};

TEST_F(a_history, goes_on_by_identities) {
  make_store_and_copy();
  const store::layout::super_slot first = super_of(path());
  EXPECT_NE(first.checkpoint, 0u);
  EXPECT_EQ(super_of(copy_).checkpoint, first.checkpoint);
  go_on(path(), 1, 7);
  go_on(copy_, 1, 7);
  EXPECT_EQ(super_of(path()).parent, first.checkpoint);
  EXPECT_EQ(super_of(copy_).parent, first.checkpoint);
  EXPECT_NE(super_of(copy_).checkpoint, super_of(path()).checkpoint);
}

TEST_F(a_history, goes_on_by_identities_through_a_shared_mapping) {
  make_store_and_copy();
  const store::layout::super_slot before = super_of(path());
  {
    const auto store = datastore::open(path(), small_store(backing::shared_file));
    store->checkpoint();
    EXPECT_EQ(store->checkpoint_identity(), super_of(path()).checkpoint);
  }
  const store::layout::super_slot after = super_of(path());
  EXPECT_EQ(after.epoch, before.epoch + 2);
  EXPECT_NE(after.checkpoint, before.checkpoint);
  EXPECT_NE(after.parent, before.checkpoint) << "that of the checkpoint in between";
  EXPECT_NE(after.parent, after.checkpoint);
}

TEST_F(a_history, takes_no_journal_of_another) {
  make_store_and_copy();
  go_on(path(), 1, 7);
  go_on(copy_, 2, 8);
  go_on(copy_, 3, 9);  // checkpoint 3, whose journal the store would take for its next one
  fs::copy_file(path() / "jrnl.1", path("own"));
  take_from_copy("jrnl.1");
  EXPECT_TRUE(is_refused_for("jrnl.1"));
  fs::copy_file(path("own"), path() / "jrnl.1", fs::copy_options::overwrite_existing);
  const auto store = datastore::open(path());
  EXPECT_TRUE(has(*store, 1, 7));
  EXPECT_TRUE(has(*store, 2, 3));
}

TEST_F(a_history, takes_no_prepared_journal_of_another) {
  make_store_and_copy();
  go_on(path(), 1, 7);
  go_on(copy_, 2, 8);
  ASSERT_TRUE(in_another_process([&]() -> int {
    const auto store = datastore::open(copy_);
    put(*store, 3, 9);
    const auto prepared = store->prepare({}, {});
    ::_exit(0);
  }));
  take_from_copy("jrnl.1");
  store_options decided;
  decided.last_decided = 3;
  EXPECT_TRUE(fails_with(errc::damaged, "jrnl.1", [&] { datastore::open(path(), decided); }));
  decided.last_decided = 2;
  EXPECT_TRUE(fails_with(errc::damaged, "jrnl.1", [&] { datastore::open(path(), decided); }));
}

TEST_F(a_history, takes_no_undo_log_of_another) {
  make_store_and_copy();
  go_on(path(), 1, 7);
  go_on(copy_, 2, 8);
  ASSERT_TRUE(in_another_process([&]() -> int {
    store_options options;
    options.backing = backing::private_memory;
    const auto store = datastore::open(copy_, options);
    for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, 5);
    store->trim();
    ::_exit(0);
  }));
  ASSERT_GT(fs::file_size(copy_ / "undo"), 0u);
  take_from_copy("undo");
  EXPECT_TRUE(is_refused_for("undo"));
  repair_report report = store_maintenance::repair(path());
  EXPECT_FALSE(report.whole());
  EXPECT_TRUE(report.done.empty());
  ASSERT_TRUE(fs::exists(path() / "undo"));
  repair_options accepting;
  accepting.accept_damage = true;
  report = store_maintenance::repair(path(), accepting);
  EXPECT_TRUE(report.whole());
  ASSERT_EQ(report.done.size(), 1u);
  EXPECT_TRUE(report.done[0].starts_with("removed undo")) << report.done[0];
  EXPECT_FALSE(fs::exists(path() / "undo"));
  EXPECT_TRUE(has(*datastore::open(path()), 1, 7));
}

TEST_F(a_history, takes_no_home_file_table_or_super_block_of_another) {
  make_store_and_copy();
  go_on(path(), 1, 7);
  go_on(copy_, 2, 8);
  for (const char* const file : {"heap.000", "crc", "super"}) {
    fs::copy_file(path() / file, path("own"));
    take_from_copy(file);
    // A foreign super block is as much at odds with either of the others.
    EXPECT_TRUE(file == std::string_view("super") || is_refused_for(file)) << file;
    const auto is_refused = [](const std::function<void()>& call) {
      return fails_with(errc::damaged, "not as the last checkpoint left it", call);
    };
    EXPECT_TRUE(is_refused([&] { datastore::open(path()); })) << file;
    EXPECT_TRUE(is_refused([&] { datastore::open_read_only(path()); })) << file;
    EXPECT_TRUE(is_refused([&] { store_maintenance::copy(path(), path("another copy")); })) << file;
    fs::copy_file(path("own"), path() / file, fs::copy_options::overwrite_existing);
    fs::remove(path("own"));
  }
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  EXPECT_TRUE(has(*datastore::open(path()), 1, 7));
}

// Also where the last checkpoint changed another of the home files, and where one more checkpoint is pending.
TEST_F(a_history, takes_none_of_several_home_files_of_another) {
  constexpr std::uint64_t in_second = 2 * mib / page_size;
  {
    store_options options = small_store();
    options.home_file_size = 2 * mib;
    const auto store = datastore::create(path(), options);
    store->memory().grow(6 * mib);
    for (std::uint64_t page = 0; page < 3 * in_second; ++page) put(*store, page, page + 1);
    store->checkpoint();
  }
  store_maintenance::copy(path(), copy_);
  go_on(path(), in_second, 7);
  go_on(copy_, in_second, 7);
  go_on(path(), 0, 8);
  go_on(copy_, 0, 8);
  fs::copy_file(path() / "heap.001", path("own"));
  take_from_copy("heap.001");
  EXPECT_TRUE(fails_with(errc::damaged, "another home file", [&] { datastore::open(path()); }));
  EXPECT_FALSE(store_maintenance::verify(path()).whole());
  fs::copy_file(path("own"), path() / "heap.001", fs::copy_options::overwrite_existing);
  ASSERT_TRUE(in_another_process([&]() -> int {
    const auto store = datastore::open(path());
    put(*store, 2 * in_second, 9);
    const watched_calls never(failing({os::file_operation::write}, "heap.", EIO));
    store->checkpoint();
    ::_exit(0);
  }));
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  take_from_copy("heap.001");
  EXPECT_TRUE(fails_with(errc::damaged, "another home file", [&] { datastore::open(path()); }));
  fs::copy_file(path("own"), path() / "heap.001", fs::copy_options::overwrite_existing);
  EXPECT_TRUE(has(*datastore::open(path()), 2 * in_second, 9));
}

// A part of the table that was written before the failure must not be taken for another history's later.
TEST_F(a_history, goes_on_after_the_table_could_not_be_written) {
  const auto store = datastore::create(path(), small_store());
  store->memory().grow(4 * mib);
  put(*store, 1, 1);
  store->checkpoint();
  store->snapshot(path("before"));  // writes the table
  put(*store, 1, 2);
  store->checkpoint();
  store->wait_applied();
  {
    const watched_calls failed(failing({os::file_operation::sync_data}, "crc", EIO));
    EXPECT_TRUE(fails_with(errc::io, "", [&] { store->snapshot(path("after")); }));
  }
  for (std::uint64_t value = 3; value < 6; ++value) {
    put(*store, 1, value);
    store->checkpoint();
    store->wait_applied();
    const fs::path as_killed = path("killed." + std::to_string(value));
    fs::copy(path(), as_killed);
    EXPECT_TRUE(has(*datastore::open_read_only(as_killed), 1, value));
    EXPECT_TRUE(has(*datastore::open(as_killed), 1, value));
  }
}

TEST_F(a_history, whose_stamps_are_damaged_is_mended_by_its_pages) {
  make_store_and_copy();
  go_on(path(), 1, 7);
  for (const char* const file : {"heap.000", "crc"}) {
    {
      const os::file opened = os::file::open_in(os::file::open_directory(path()), file, O_RDWR);
      const std::byte wrong[2 * sizeof(store::layout::stamp_sector)]{std::byte{1}};
      opened.write_at(wrong, sizeof wrong, store::layout::stamps_offset);
    }
    EXPECT_TRUE(is_refused_for(file));
    EXPECT_TRUE(store_maintenance::repair(path()).after.whole());
    go_on(path(), 2, 8);
    EXPECT_TRUE(store_maintenance::verify(path()).whole());
  }
  take_from_copy("heap.000");
  const repair_report report = store_maintenance::repair(path());
  EXPECT_FALSE(report.after.whole()) << "pages of another time were accepted";
  EXPECT_TRUE(report.done.empty()) << report.done.front();
  repair_options accepting;
  accepting.accept_damage = true;
  EXPECT_TRUE(store_maintenance::repair(path(), accepting).after.whole());
  EXPECT_TRUE(has(*datastore::open(path()), 1, 2));
}

TEST_F(a_history, is_mended_by_pages_only_where_they_have_checksums) {
  enum class checksums { there, stale, lost };
  for (const checksums have : {checksums::there, checksums::stale, checksums::lost}) {
    fs::remove_all(path());
    fs::remove_all(copy_);
    make_store_and_copy();
    ASSERT_TRUE(in_another_process([&]() -> int {
      const auto store = datastore::open(path(), small_store());
      put(*store, 1, 7);
      store->checkpoint();
      store->wait_applied();
      ::_exit(0);
    }));
    go_on(copy_, 1, 7);
    take_from_copy("heap.000");
    if (have == checksums::stale) {
      store::super_block super = store::super_block::load(os::file::open_directory(path()), true);
      store::layout::super_slot changed = super.now();
      changed.flags |= store::layout::flag_checksums_stale;
      super.store(changed);
    }
    if (have == checksums::lost) fs::remove(path() / "jrnl.0");
    const auto says = [](const repair_report& report, const char* words) {
      return std::any_of(report.done.begin(), report.done.end(),
                         [words](const std::string& one) { return one.find(words) != std::string::npos; });
    };
    repair_report report = store_maintenance::repair(path());
    EXPECT_EQ(report.whole(), have == checksums::there);
    EXPECT_EQ(says(report, "belong together, as their pages agree"), have == checksums::there);
    EXPECT_EQ(store_maintenance::repair(path()).whole(), have == checksums::there);
    repair_options accepting;
    accepting.accept_damage = true;
    report = store_maintenance::repair(path(), accepting);
    EXPECT_TRUE(report.whole());
    EXPECT_EQ(says(report, "declared that all files belong together"), have != checksums::there);
    EXPECT_TRUE(has(*datastore::open(path()), 1, 7));
  }
}

TEST_F(a_history, has_no_checkpoint_that_is_far_ahead) {
  make_store_and_copy();
  for (std::uint64_t value = 1; value < 6; ++value) go_on(copy_, 1, value);
  take_from_copy("jrnl.0");
  EXPECT_EQ(store_maintenance::inspect(copy_).epoch, 6u);
  EXPECT_EQ(store_maintenance::inspect(path()).epoch, 1u);
  EXPECT_EQ(datastore::open_read_only(path())->epoch(), 1u);
}

TEST_F(a_history, that_was_restored_is_not_undone_by_staging) {
  make_store_and_copy();
  go_on(path(), 1, 7);
  store_maintenance::stage_in(path(), path("fast"));
  // The store is lost, restored, and worked on.
  store_maintenance::remove(path());
  store_maintenance::copy(copy_, path());
  go_on(path(), 2, 8);
  EXPECT_EQ(super_of(path()).epoch, super_of(path("fast")).copied_epoch);
  EXPECT_TRUE(fails_with(errc::conflict, "another checkpoint 2",
                         [&] { store_maintenance::stage_out(path("fast"), path()); }));
  const auto store = datastore::open_read_only(path());
  EXPECT_TRUE(has(*store, 1, 2));
  EXPECT_TRUE(has(*store, 2, 8));
}

TEST_F(a_history, is_mended_by_putting_foreign_journals_aside) {
  make_store_and_copy();
  go_on(path(), 1, 7);
  go_on(copy_, 2, 8);
  go_on(copy_, 3, 9);
  take_from_copy("jrnl.1");
  EXPECT_TRUE(store_maintenance::repair(path()).after.whole());
  EXPECT_TRUE(fs::exists(path() / "jrnl.1.foreign"));
  const auto store = datastore::open(path());
  EXPECT_EQ(store->epoch(), 2u);
  EXPECT_TRUE(has(*store, 1, 7));
}

TEST_F(a_history, of_an_earlier_library_gets_identities_with_the_next_checkpoint) {
  make_store_and_copy();
  {
    store::super_file content;
    const os::file file = os::file::open_in(os::file::open_directory(path()), "super", O_RDWR);
    ASSERT_EQ(file.read_at(&content, sizeof content, 0), sizeof content);
    for (store::layout::super_slot& slot : content.slots) {
      slot.incompat = slot.checkpoint = slot.parent = 0;
      store::seal_block(slot);
    }
    file.write_at(&content, sizeof content, 0);
  }
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  EXPECT_TRUE(has(*datastore::open_read_only(path()), 1, 2));
  EXPECT_EQ(store_maintenance::inspect(path()).incompat_features, 0u);
  go_on(path(), 1, 7);
  EXPECT_EQ(store_maintenance::inspect(path()).incompat_features, store::layout::incompat_identities);
  go_on(path(), 2, 8);
  EXPECT_NE(super_of(path()).parent, 0u);
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  EXPECT_TRUE(has(*datastore::open_read_only(path()), 1, 7));
}

TEST(identities, can_be_repeated) {
  store::draw_identities_from(5);
  const std::uint64_t first = store::draw_identity();
  const std::uint64_t second = store::draw_identity();
  EXPECT_NE(first, second);
  store::draw_identities_from(5);
  EXPECT_EQ(store::draw_identity(), first);
  EXPECT_EQ(store::draw_identity(), second);
  store::draw_identities_from(std::nullopt);
  EXPECT_NE(store::draw_identity(), store::draw_identity());
}

}  // namespace
}  // namespace perdure
