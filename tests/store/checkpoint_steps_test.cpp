// The order in which a checkpoint changes files.
#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <perdure/datastore.hpp>
#include <perdure/pager.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>
#include <string_view>

#include "os/file.hpp"
#include "segment/segment.hpp"
#include "support/errors.hpp"
#include "support/noted_calls.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

using os::file_operation;

class checkpoint_steps : public scratch_test {
 protected:
  checkpoint_steps() : scratch_test(fast_directory()) {}

  std::unique_ptr<datastore> store_of_a_hundred_pages(backing kind = backing::private_memory) {
    auto store = datastore::create(path(), small_store(kind));
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, 1);
    store->checkpoint();
    store->wait_applied();
    return store;
  }
};

// A journal carries the entries of those before it, until that has cost as much as writing the table.
TEST_F(checkpoint_steps, write_the_table_of_checksums_now_and_then) {
  std::atomic<int> table_writes{0};
  const watched_calls calls([&](const os::file_call& call, std::string_view file) {
    if (file == "crc" && call.operation == file_operation::write && call.bytes == page_size) ++table_writes;
    return 0;
  });
  const auto store = store_of_a_hundred_pages();
  table_writes = 0;
  for (std::uint64_t round = 0; round < 100; ++round) {
    put(*store, round, 2);
    store->checkpoint();
    store->wait_applied();
  }
  // One page of the table, 4,096 bytes; after n checkpoints n²/2 entries of 24 bytes were carried.
  EXPECT_GE(table_writes, 100 / 25);
  EXPECT_LE(table_writes, 100 / 12);
}

// Then nobody knows what pages look like at home.
TEST_F(checkpoint_steps, make_pages_empty_that_another_backing_has_filled) {
  { const auto store = store_of_a_hundred_pages(); }
  {
    const auto store = datastore::open(path(), small_store(backing::shared_file));
    for (std::uint64_t page = 200; page < 220; ++page) put(*store, page, page);
    store->checkpoint();
  }
  {
    const auto store = datastore::open(path());
    for (std::uint64_t page = 200; page < 210; ++page) put(*store, page, 0);
    put(*store, 210, 5);
    store->checkpoint();
  }
  const auto store = datastore::open(path());
  for (std::uint64_t page = 200; page < 210; ++page) EXPECT_TRUE(has(*store, page, 0));
  EXPECT_TRUE(has(*store, 210, 5));
  for (std::uint64_t page = 211; page < 220; ++page) EXPECT_TRUE(has(*store, page, page));
}

// A crash after the commit needs home as long as the store is then, and what was written there.
TEST_F(checkpoint_steps, make_home_durable_before_the_commit_where_it_has_changed) {
  noted_calls calls;
  const auto store = store_of_a_hundred_pages();
  const detail::page_run released[]{{50, 1}};
  store->checkpoint(released);
  store->wait_applied();
  const auto before_commit = [&](const std::function<void()>& change) {
    change();
    calls.forget();
    store->checkpoint();
    const std::string notes = calls.before(noted_calls::write_header);
    store->wait_applied();
    return notes;
  };
  const auto has_note = [](const std::string& notes, char what) {
    return notes.find(what) != std::string::npos;
  };
  const std::string overwritten = before_commit([&] { put(*store, 3, 9); });
  EXPECT_FALSE(has_note(overwritten, noted_calls::write_home)) << overwritten;
  EXPECT_FALSE(has_note(overwritten, noted_calls::sync_home)) << overwritten;
  const std::string fresh = before_commit([&] { put(*store, 50, 9); });
  EXPECT_TRUE(has_note(fresh, noted_calls::write_home)) << fresh;
  EXPECT_TRUE(has_note(fresh, noted_calls::sync_home)) << fresh;
  const std::string hole = before_commit([&] { put(*store, 500, 9); });
  EXPECT_TRUE(has_note(hole, noted_calls::reserve_home)) << hole;
  EXPECT_TRUE(has_note(hole, noted_calls::sync_home)) << hole;
  const std::string longer = before_commit([&] { store->memory().grow(8 * mib); });
  EXPECT_TRUE(has_note(longer, noted_calls::sync_home)) << longer;
  // The first one of the second table page.
  const std::string more = before_commit([&] { put(*store, 1500, 9); });
  EXPECT_TRUE(has_note(more, noted_calls::reserve_table)) << more;
}

// The super block says what is at home, and which table there is, only when both are durable.
TEST_F(checkpoint_steps, make_home_durable_before_the_super_block_counts_on_it) {
  noted_calls calls;
  const auto store = store_of_a_hundred_pages();
  put(*store, 3, 2);
  calls.forget();
  store->checkpoint();
  store->wait_applied();
  const std::string pages = calls.before(noted_calls::write_super);
  EXPECT_LT(pages.find(noted_calls::write_home), pages.find(noted_calls::sync_home)) << pages;
  EXPECT_NE(pages.find(noted_calls::sync_home), std::string::npos) << pages;
  calls.forget();
  store->snapshot(path("snapshot"));
  const std::string table = calls.before(noted_calls::write_super);
  EXPECT_LT(table.find(noted_calls::write_table), table.find(noted_calls::sync_table)) << table;
  EXPECT_NE(table.find(noted_calls::sync_table), std::string::npos) << table;
}

TEST_F(checkpoint_steps, write_each_page_to_its_place) {
  {
    const auto store = store_of_a_hundred_pages();
    const detail::page_run released[]{{50, 1}, {52, 2}, {60, 1}};
    store->checkpoint(released);
    for (std::uint64_t page = 49; page < 61; ++page)
      if (page < 54 || page > 58) put(*store, page, page + 300);
    store->checkpoint();
  }
  const auto store = datastore::open(path());
  for (std::uint64_t page = 49; page < 61; ++page)
    EXPECT_TRUE(has(*store, page, page < 54 || page > 58 ? page + 300 : 1));
}

TEST_F(checkpoint_steps, keep_readers_from_journals_while_nobody_knows_whether_they_count) {
  os::file super;
  std::string found;
  noted_calls calls([&](char what) {
    if (what != noted_calls::sync_journal || super.descriptor() == -1) return 0;
    const os::lock_range commit{2, 1};
    const bool is_free = super.try_lock(os::lock_mode::shared, commit);
    if (is_free) super.unlock(commit);
    found += is_free ? "free " : "taken ";
    return 0;
  });
  const auto store = store_of_a_hundred_pages();
  super = os::file::open_in(os::file::open_directory(path()), "super", O_RDWR);
  put(*store, 3, 2);
  store->checkpoint();
  EXPECT_EQ(found, "taken ");
  put(*store, 3, 3);
  const auto prepared = store->prepare();
  EXPECT_EQ(found, "taken free ") << "readers take no prepared checkpoint for one that counts";
  prepared->decide();
  EXPECT_EQ(found, "taken free taken ");
}

// Pages that the next checkpoint does not have any more are given up before it needs space.
TEST_F(checkpoint_steps, empty_evicted_pages_at_home_before_the_commit) {
  noted_calls calls;
  const auto store = store_of_a_hundred_pages(backing::paged);
  if (store->tracker() != "pager") GTEST_SKIP() << "needs userfaultfd";
  store->memory().grow(8 * mib);
  for (std::uint64_t page = 1200; page < 1300; ++page) put(*store, page, 7);
  store->trim();
  for (std::uint64_t page = 1200; page < 1300; ++page) put(*store, page, 0);
  calls.forget();
  store->checkpoint();
  const std::string notes = calls.before(noted_calls::write_header);
  EXPECT_NE(notes.find(noted_calls::punch_home), std::string::npos) << notes;
}

/// The checkpoint after one that failed.
class checkpoint_steps_after_a_failure : public checkpoint_steps {
 protected:
  /// Makes a checkpoint in which the calls fail that `judge` names, and another one, which releases pages
  /// that were written home early for the first. Returns the calls of the other one before its journal's
  /// header.
  std::string retry(const noted_calls::judge_of_notes& judge) {
    std::atomic<bool> is_failing{false};
    noted_calls calls([&](char what) { return is_failing ? judge(what) : 0; });
    const auto store = store_of_a_hundred_pages();
    put(*store, 3, 2);
    store->checkpoint();  // there is a header in each of the journals
    store->memory().grow(16 * mib);
    for (std::uint64_t page = 1000; page < 2000; ++page) put(*store, page, page);
    store->trim();
    put(*store, 3, 3);
    is_failing = true;
    EXPECT_THROW(store->checkpoint(), error);
    is_failing = false;
    calls.forget();
    const detail::page_run released[]{{1000, 1000}};
    store->checkpoint(released);
    return calls.before(noted_calls::write_header);
  }
  static bool is_durably_replaced_before_punched(const std::string& notes) {
    const auto renamed = notes.find(noted_calls::rename_journal);
    const auto synced = notes.find(noted_calls::sync_directory, renamed);
    const auto punched = notes.find(noted_calls::punch_home);
    return renamed < synced && synced < punched && punched != std::string::npos;
  }
};

// The journal of the failed checkpoint has its header: after a crash it would count, and these pages would be
// a part of it.
TEST_F(checkpoint_steps_after_a_failure, keep_released_pages_as_long_as_it_may_count) {
  bool is_committing = false;
  const std::string notes = retry([&](char what) {
    if (what == noted_calls::sync_journal) is_committing = true;
    const bool fails = what == noted_calls::sync_journal || what == noted_calls::make_journal;
    return is_committing && fails ? ENOSPC : 0;
  });
  EXPECT_TRUE(is_durably_replaced_before_punched(notes)) << notes;
}

// The name of the journal in its place may be undone by a power failure.
TEST_F(checkpoint_steps_after_a_failure, keep_released_pages_until_the_name_of_another_journal_is_durable) {
  bool is_committing = false;
  const std::string notes = retry([&](char what) {
    if (what == noted_calls::sync_journal) is_committing = true;
    const bool fails = what == noted_calls::sync_journal || what == noted_calls::sync_directory;
    return is_committing && fails ? EIO : 0;
  });
  EXPECT_TRUE(is_durably_replaced_before_punched(notes)) << notes;
}

// To make another journal takes space, which these pages have.
TEST_F(checkpoint_steps_after_a_failure, give_released_pages_up_first_where_it_cannot_count) {
  const std::string notes = retry([&](char what) {
    return what == noted_calls::write_journal || what == noted_calls::make_journal ? ENOSPC : 0;
  });
  const auto punched = notes.find(noted_calls::punch_home);
  EXPECT_NE(punched, std::string::npos) << notes;
  EXPECT_LT(punched, notes.find(noted_calls::make_journal)) << notes;
}

// Pages that have left memory may be in the journal only: it stays as long as it is known what it holds.
TEST_F(checkpoint_steps_after_a_failure, have_another_journal_where_the_old_one_may_be_spoilt) {
  const auto is_replaced = [this](backing kind, char failing) {
    std::atomic<bool> is_failing{false};
    noted_calls calls([&](char what) { return is_failing && what == failing ? EIO : 0; });
    const auto store = store_of_a_hundred_pages(kind);
    put(*store, 3, 3);
    is_failing = true;
    EXPECT_THROW(store->checkpoint(), error);
    store->close();
    std::filesystem::remove_all(path());
    return calls.all().find(noted_calls::rename_journal) != std::string::npos;
  };
  EXPECT_TRUE(is_replaced(backing::private_memory, noted_calls::write_journal));
  EXPECT_TRUE(is_replaced(backing::private_memory, noted_calls::sync_journal));
  if (pager::why_unavailable(pager::tier::uffd_sigbus)) GTEST_SKIP() << "needs userfaultfd";
  EXPECT_FALSE(is_replaced(backing::paged, noted_calls::write_journal));
  EXPECT_TRUE(is_replaced(backing::paged, noted_calls::sync_journal));
}

TEST_F(checkpoint_steps_after_a_failure, take_new_pages_as_they_are_then) {
  for (const backing kind : {backing::private_memory, backing::paged}) {
    {
      std::atomic<bool> is_failing{false};
      noted_calls calls([&](char what) { return is_failing && what == noted_calls::sync_journal ? EIO : 0; });
      const auto store = store_of_a_hundred_pages(kind);
      store->memory().grow(8 * mib);
      put(*store, 1500, 7);
      put(*store, 1600, 8);
      is_failing = true;
      EXPECT_THROW(store->checkpoint(), error);
      is_failing = false;
      put(*store, 1500, 0);
      store->checkpoint();
    }
    const auto store = datastore::open(path());
    EXPECT_TRUE(has(*store, 1500, 0));
    EXPECT_TRUE(has(*store, 1600, 8));
    store->close();
    EXPECT_TRUE(store_maintenance::verify(path()).whole());
    std::filesystem::remove_all(path());
  }
}

}  // namespace
}  // namespace perdure
