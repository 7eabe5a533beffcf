// Recovery of stores whose writer was killed: what is written, and in which order.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>
#include <string_view>

#include "segment/segment.hpp"
#include "store/file/layout.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/flipped_bit.hpp"
#include "support/noted_calls.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

using os::file_operation;

constexpr std::uint64_t pages = 100;

/// At checkpoint 1 its first pages have pattern 1.
class a_store_of_a_killed_writer : public scratch_test {
 protected:
  a_store_of_a_killed_writer() : scratch_test(fast_directory()) {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(12 * mib);
    write(*store, 1);
    store->checkpoint();
  }

  static void write(datastore& store, std::uint64_t number) {
    for (std::uint64_t page = 0; page < pages; ++page) put(store, page, number);
  }
  static ::testing::AssertionResult has_all(datastore& store, std::uint64_t number) {
    for (std::uint64_t page = 0; page < pages; ++page)
      if (auto found = has(store, page, number); !found) return found;
    return ::testing::AssertionSuccess();
  }
  /// Has another process open the store, work on it, and die.
  void be_killed_after(const std::function<void(datastore&)>& work) {
    ASSERT_TRUE(in_another_process([&]() -> int {
      const auto store = datastore::open(path(), small_store());
      work(*store);
      ::_exit(0);
    }));
  }
  /// Commits what was changed; nothing of it comes home, because writing that file fails.
  static void commit_only(datastore& store, const char* failing_file = "heap.") {
    const watched_calls fail(failing({file_operation::write, file_operation::punch}, failing_file, EIO));
    store.checkpoint();
    EXPECT_THROW(store.wait_applied(), error);
  }
  /// Checkpoint 2 is committed, with pattern 2.
  void leave_second_in_journal() {
    be_killed_after([](datastore& store) {
      write(store, 2);
      commit_only(store);
    });
  }
  std::unique_ptr<datastore> open(backing kind = backing::private_memory) {
    return datastore::open(path(), small_store(kind));
  }
  std::unique_ptr<datastore> open_without_room(backing kind = backing::private_memory) {
    // Its header block is on disk already.
    const watched_calls full([](const os::file_call& call, std::string_view file) {
      const bool is_content = file.starts_with("heap.") && call.offset >= store::layout::home_data_offset;
      return is_content && call.operation == file_operation::write ? ENOSPC : 0;
    });
    return open(kind);
  }
};

TEST_F(a_store_of_a_killed_writer, is_made_durable_as_it_was_found_before_home_changes) {
  leave_second_in_journal();
  noted_calls calls;
  EXPECT_TRUE(has_all(*open(), 2));
  const std::string before = calls.before(noted_calls::write_home);
  EXPECT_NE(before.find(noted_calls::write_header), std::string::npos) << before;
  EXPECT_NE(before.find(noted_calls::sync_journal), std::string::npos) << before;
  EXPECT_NE(before.find(noted_calls::sync_directory), std::string::npos) << before;
}

// Such a journal may have taken the place of one whose checkpoint failed, and the name may not be durable.
TEST_F(a_store_of_a_killed_writer, has_the_names_of_empty_journals_made_durable) {
  {
    noted_calls calls;
    open();
    EXPECT_NE(calls.all().find(noted_calls::sync_directory), std::string::npos) << calls.all();
  }
  {
    const auto store = open();
    write(*store, 2);
    store->checkpoint();
  }
  noted_calls calls;
  open();
  EXPECT_EQ(calls.all().find(noted_calls::sync_directory), std::string::npos) << calls.all();
}

TEST_F(a_store_of_a_killed_writer, is_opened_though_home_has_no_room) {
  leave_second_in_journal();
  EXPECT_TRUE(has_all(*open_without_room(), 2));
  EXPECT_TRUE(has_all(*open_without_room(), 2)) << "it was taken for brought home";
  EXPECT_TRUE(has_all(*open(), 2));
}

TEST_F(a_store_of_a_killed_writer, is_not_opened_where_home_cannot_be_written) {
  leave_second_in_journal();
  {
    const watched_calls broken(failing(file_operation::write, "heap.", EIO));
    EXPECT_TRUE(fails_with(errc::io, "heap.000", [&] { open(); }));
  }
  EXPECT_TRUE(fails_with(errc::no_space, "heap.000", [&] { open_without_room(backing::shared_file); }));
  EXPECT_TRUE(has_all(*open(), 2));
}

// Which table pages may be torn is known from the journal, and they can be made anew only while it counts.
TEST_F(a_store_of_a_killed_writer, has_a_torn_table_page_mended_though_home_has_no_room) {
  leave_second_in_journal();
  flip_bit(path() / "crc", store::layout::block + 100);
  {
    const auto store = open_without_room();
    put(*store, 5, 3);
    store->checkpoint();
    EXPECT_TRUE(has(*store, 5, 3));
  }
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
}

TEST_F(a_store_of_a_killed_writer, has_no_other_table_page_mended) {
  leave_second_in_journal();
  flip_bit(path() / "crc", 2 * store::layout::block + 100);
  const auto store = open();
  put(*store, store::layout::entries_per_table_page + 5, 3);
  EXPECT_TRUE(fails_with(errc::damaged, "table page 1", [&] { store->checkpoint(); }));
}

TEST_F(a_store_of_a_killed_writer, is_damaged_where_home_is_shorter_than_its_journal_says) {
  be_killed_after([](datastore& store) {
    store.memory().grow(16 * mib);
    write(store, 2);
    commit_only(store);
  });
  std::filesystem::resize_file(path() / "heap.000", store::layout::home_data_offset + 12 * mib);
  EXPECT_TRUE(fails_with(errc::damaged, "cut short", [&] { open(); }));
}

TEST_F(a_store_of_a_killed_writer, has_its_last_checkpoint_at_home_again) {
  be_killed_after([](datastore& store) {
    write(store, 2);
    store.trim();
  });
  EXPECT_TRUE(has_all(*open(), 1));
}

// The table of the last checkpoint is written; the before-images are still needed.
TEST_F(a_store_of_a_killed_writer, has_its_last_checkpoint_at_home_after_a_snapshot_too) {
  be_killed_after([this](datastore& store) {
    put(store, pages, 7);
    store.checkpoint();
    store.wait_applied();
    write(store, 2);
    store.trim();
    store.snapshot(path("snapshot"));
  });
  const auto store = open();
  EXPECT_TRUE(has_all(*store, 1));
  EXPECT_TRUE(has(*store, pages, 7));
  EXPECT_TRUE(has_all(*datastore::open(path("snapshot")), 1));
}

// The before-images are those of the checkpoint before the one in the journal.
TEST_F(a_store_of_a_killed_writer, has_no_checkpoint_undone_that_is_committed) {
  be_killed_after([](datastore& store) {
    write(store, 2);
    store.trim();
    commit_only(store, "super");
  });
  EXPECT_TRUE(has_all(*open(), 2));
}

}  // namespace
}  // namespace perdure
