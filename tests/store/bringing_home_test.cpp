// Committed checkpoints on their way home: who waits, what memory shows meanwhile, and what becomes of
// errors.
#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/datastore.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/pager.hpp>
#include <string>
#include <thread>

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

namespace fs = std::filesystem;

/// Prefers a page tracker while it lives.
class preferred_tracker {
 public:
  explicit preferred_tracker(const char* name) {
    if (const char* const before = std::getenv(variable)) before_ = before;
    ::setenv(variable, name, 1);
  }
  preferred_tracker(const preferred_tracker&) = delete;
  preferred_tracker& operator=(const preferred_tracker&) = delete;
  ~preferred_tracker() { before_ ? ::setenv(variable, before_->c_str(), 1) : ::unsetenv(variable); }

 private:
  static constexpr const char* variable = "PERDURE_TRACKER";
  std::optional<std::string> before_;
};

/// A store whose program waits, or does not, until its pages are home.
class bringing_home : public scratch_test {
 protected:
  bringing_home() : scratch_test(fast_directory()) {}

  std::unique_ptr<datastore> store_of_a_hundred_pages(const store_options& options = small_store()) {
    auto store = datastore::create(path(), options);
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, 1);
    store->checkpoint();
    store->wait_applied();
    super_ = os::file::open_in(os::file::open_directory(path()), "super", O_RDWR);
    return store;
  }
  /// Takes the lock that a reader beside the writer has while it reads the store's own files.
  void begin_to_read() { ASSERT_TRUE(super_.try_lock(os::lock_mode::shared, home)); }
  void end_reading() { super_.unlock(home); }
  /// Waits until the writer waits for readers, or much longer than it takes to begin with that.
  void wait_for_waiting_writer() {
    for (int times = 0; times < 300; ++times) {
      if (super_.foreign_lock(entrance) == os::lock_mode::exclusive) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  static constexpr os::lock_range home{1, 1};
  static constexpr os::lock_range entrance{3, 1};
  os::file super_;
};

TEST_F(bringing_home, is_made_up_for_by_the_worker_when_readers_are_gone) {
  const auto store = store_of_a_hundred_pages();
  if (store->tracker() == "pagemap") GTEST_SKIP() << "programs wait with this page tracker";
  begin_to_read();
  put(*store, 3, 2);
  store->checkpoint();
  wait_for_waiting_writer();
  end_reading();
  EXPECT_EQ(store->info().applied_epoch, 2u);
}

TEST_F(bringing_home, does_not_wait_for_readers_where_the_program_would_wait_too) {
  const preferred_tracker pagemap("pagemap");
  const auto store = store_of_a_hundred_pages();
  begin_to_read();
  put(*store, 3, 2);
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 2u);
  EXPECT_TRUE(has(*store, 3, 2)) << "memory was taken from home";
  end_reading();
  store->wait_applied();
  EXPECT_EQ(store->info().applied_epoch, 2u);
  EXPECT_TRUE(has(*store, 3, 2));
}

TEST_F(bringing_home, waits_for_readers_before_a_checkpoint_is_kept) {
  for (const char* const tracker : {"uffd", "pagemap"}) {
    const preferred_tracker preferred(tracker);
    store_options options = small_store();
    options.keep_last = 2;
    options.keep_full_copies = true;
    const auto store = store_of_a_hundred_pages(options);
    begin_to_read();
    put(*store, 3, 2);
    std::thread reader([this] {
      wait_for_waiting_writer();
      end_reading();
    });
    store->checkpoint({}, "two");
    reader.join();
    const auto kept = datastore::open_read_only(resolve_store_name(path() += "@two"));
    EXPECT_EQ(kept->epoch(), 2u);
    EXPECT_TRUE(has(*kept, 3, 2));
    kept->close();
    store->close();
    fs::remove_all(path());
  }
}

TEST_F(bringing_home, leaves_no_page_changed) {
  for (const char* const tracker : {"uffd", "pagemap"}) {
    const preferred_tracker preferred(tracker);
    const auto store = store_of_a_hundred_pages();
    for (const std::uint64_t page : {0, 1, 2, 30, 31}) put(*store, page, 2);
    const detail::page_run released[]{{10, 5}, {20, 2}};
    store->checkpoint(released);
    store->wait_applied();
    store->checkpoint();
    EXPECT_EQ(store->epoch(), 2u) << tracker;
    for (const std::uint64_t page : {0, 1, 2, 30, 31}) EXPECT_TRUE(has(*store, page, 2)) << tracker;
    EXPECT_TRUE(has(*store, 12, 0)) << tracker << ": the memory of a released page was not given back";
    store->close();
    fs::remove_all(path());
  }
}

// On tmpfs a hole that is mapped takes space when it is touched.
TEST_F(bringing_home, maps_no_pages_that_were_released) {
  for (const char* const tracker : {"uffd", "pagemap"}) {
    const preferred_tracker preferred(tracker);
    const auto store = store_of_a_hundred_pages();
    const detail::page_run released[]{{10, 50}};
    store->checkpoint(released);
    store->wait_applied();
    const os::file at_home = os::file::open_in(os::file::open_directory(path()), "heap.000", O_RDONLY);
    const std::uint64_t before = at_home.allocated_bytes();
    for (std::uint64_t page = 10; page < 60; ++page) EXPECT_TRUE(has(*store, page, 0)) << tracker;
    EXPECT_EQ(at_home.allocated_bytes(), before) << tracker;
    store->close();
    fs::remove_all(path());
  }
}

TEST_F(bringing_home, leaves_no_page_of_a_paged_store_changed) {
  const auto store = store_of_a_hundred_pages(small_store(backing::paged));
  put(*store, 3, 2);
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 2u);
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 2u);
}

// Home has the old page until the checkpoint comes home.
TEST_F(bringing_home, hides_what_emptied_pages_were) {
  store_options options = small_store(backing::paged);
  options.memory_budget = 2 * mib;
  std::atomic<bool> is_failing{false};
  noted_calls calls([&](char what) { return is_failing && what == noted_calls::punch_home ? EIO : 0; });
  const auto store = store_of_a_hundred_pages(options);
  store->memory().grow(16 * mib);
  store->checkpoint();
  put(*store, 3, 0);
  is_failing = true;
  store->checkpoint();
  EXPECT_EQ(store->info().applied_epoch, 2u);
  EXPECT_EQ(store->epoch(), 3u);
  for (std::uint64_t page = 200; page < 4000; ++page) ASSERT_TRUE(has(*store, page, 0));
  EXPECT_TRUE(has(*store, 3, 0));
  is_failing = false;
  store->checkpoint();
  EXPECT_TRUE(has(*store, 3, 0));
}

// Memory must not be taken from home before the checkpoint counts.
TEST_F(bringing_home, does_not_begin_with_a_decision_that_fails) {
  const preferred_tracker pagemap("pagemap");
  std::atomic<bool> is_failing{false};
  noted_calls calls([&](char what) { return is_failing && what == noted_calls::sync_journal ? EIO : 0; });
  const auto store = store_of_a_hundred_pages();
  put(*store, 3, 2);
  const auto prepared = store->prepare();
  is_failing = true;
  EXPECT_THROW(prepared->decide(), error);
  is_failing = false;
  EXPECT_TRUE(has(*store, 3, 2));
  prepared->decide();
  store->wait_applied();
  EXPECT_TRUE(has(*store, 3, 2));
}

TEST_F(bringing_home, gives_the_space_of_before_images_back) {
  const auto store = store_of_a_hundred_pages();
  for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, 2);
  store->trim();
  EXPECT_GT(fs::file_size(path() / "undo"), 100 * page_size);
  store->checkpoint();
  store->wait_applied();
  EXPECT_EQ(fs::file_size(path() / "undo"), 0u);
}

TEST_F(bringing_home, is_reported_and_tried_again_where_it_fails) {
  std::atomic<char> failing{'\0'};
  noted_calls calls([&](char what) { return what == failing ? EIO : 0; });
  const auto store = store_of_a_hundred_pages();
  failing = noted_calls::write_home;
  put(*store, 3, 2);
  store->checkpoint();
  store->info();  // waits until it was tried
  failing = '\0';
  EXPECT_TRUE(fails_with(errc::io, "heap.000", [&] { store->wait_applied(); }));
  put(*store, 3, 3);
  store->checkpoint();
  EXPECT_NO_THROW(store->wait_applied());
  // A table that could not be written is what has to come home next, and nothing is known to be wrong then.
  failing = noted_calls::write_table;
  EXPECT_TRUE(fails_with(errc::io, "crc", [&] { store->snapshot(path("snapshot")); }));
  failing = '\0';
  calls.forget();
  EXPECT_NO_THROW(store->wait_applied());
  EXPECT_NE(calls.all().find(noted_calls::write_super), std::string::npos) << calls.all();
}

}  // namespace
}  // namespace perdure
