// Pages written home before their checkpoint, so that a store may be larger than memory.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <perdure/perdure.hpp>
#include <random>
#include <thread>
#include <vector>

#include "os/file.hpp"
#include "os/file_observer.hpp"
#include "os/memory_limits.hpp"
#include "segment/segment.hpp"
#include "store/file/layout.hpp"
#include "store/model_store.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

void keep_storing(datastore& store, std::uint64_t pages, const std::atomic<bool>& enough) {
  while (!enough) {
    for (std::uint64_t page = 0; page < pages; ++page) {
      reinterpret_cast<std::atomic<std::uint64_t>*>(store.memory().base() + page * page_size)[5].store(
          1, std::memory_order_relaxed);
    }
  }
}

// Sanitizers keep memory of their own for every page.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_can_be_measured = false;
#else
constexpr bool memory_can_be_measured = true;
#endif

class trimming : public scratch_test {
 protected:
  // Home, as its first checkpoint.
  std::unique_ptr<datastore> make_store_of_a_hundred_pages() const {
    auto store = datastore::create(path(), small_store());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, 1);
    store->checkpoint();
    store->wait_applied();
    return store;
  }
};

TEST_F(trimming, gives_memory_back_and_keeps_the_content) {
  const auto store = datastore::create(path(), small_store());
  constexpr std::uint64_t pages = 96 * mib / page_size;
  store->memory().grow(96 * mib);
  const std::uint64_t before = os::anonymous_memory();
  for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, page + 1);
  ASSERT_GT(os::anonymous_memory(), before + 80 * mib);
  store->trim();
  if (memory_can_be_measured) {
    EXPECT_LT(os::anonymous_memory(), before + 16 * mib);
  }
  for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*store, page, page + 1));
  EXPECT_EQ(store->epoch(), 0u);
  store->checkpoint();
  for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*store, page, page + 1));
  store->close();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  const auto again = datastore::open(path());
  for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*again, page, page + 1));
}

TEST_F(trimming, is_undone_when_no_checkpoint_follows) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(8 * mib);
  for (std::uint64_t page = 0; page < 1500; page += 3) put(*store, page, 1);
  store->checkpoint();
  store->memory().grow(16 * mib);
  for (std::uint64_t page = 0; page < 3000; page += 2) put(*store, page, 2);
  store->trim();
  for (std::uint64_t page = 1; page < 3000; page += 4) put(*store, page, 3);
  store->trim();
  store.reset();

  const auto expect_first = [](datastore& found) {
    EXPECT_EQ(found.epoch(), 1u);
    ASSERT_EQ(found.memory().size(), 8 * mib);
    for (std::uint64_t page = 0; page < 2048; ++page)
      ASSERT_TRUE(has(found, page, page < 1500 && page % 3 == 0 ? 1 : 0)) << page;
  };
  const verify_report report = store_maintenance::verify(path());
  EXPECT_TRUE(report.whole());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].part, store_section::undo_log);
  expect_first(*datastore::open_read_only(path()));
  store_maintenance::copy(path(), path("copy"));
  expect_first(*datastore::open(path("copy")));
  expect_first(*datastore::open(path()));
  EXPECT_TRUE(store_maintenance::verify(path()).findings.empty());
}

TEST_F(trimming, is_repaired_away_when_no_checkpoint_follows) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(2 * mib);
  put(*store, 7, 1);
  store->checkpoint();
  put(*store, 7, 2);
  store->trim();
  store.reset();
  const repair_report report = store_maintenance::repair(path());
  EXPECT_TRUE(report.after.whole());
  EXPECT_TRUE(report.after.findings.empty());
  EXPECT_TRUE(has(*datastore::open(path()), 7, 1));
}

TEST_F(trimming, leaves_the_committed_checkpoint_to_snapshots) {
  const auto store = datastore::create(path(), small_store());
  store->memory().grow(4 * mib);
  for (std::uint64_t page = 0; page < 500; ++page) put(*store, page, 1);
  store->checkpoint();
  for (std::uint64_t page = 200; page < 1000; ++page) put(*store, page, 2);
  store->trim();
  store->snapshot(path("snapshot"));
  EXPECT_TRUE(store_maintenance::verify(path("snapshot")).findings.empty());
  const auto snapshot = datastore::open(path("snapshot"));
  for (std::uint64_t page = 0; page < 1024; ++page) ASSERT_TRUE(has(*snapshot, page, page < 500 ? 1 : 0));
  store->checkpoint();
  for (std::uint64_t page = 0; page < 1000; ++page) ASSERT_TRUE(has(*store, page, page < 200 ? 1 : 2));
}

TEST_F(trimming, keeps_pages_that_became_zero_or_were_released) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(4 * mib);
  for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, 1);
  store->checkpoint();
  store->memory().grow(8 * mib);
  for (std::uint64_t page = 50; page < 60; ++page) put(*store, page, 2);
  for (std::uint64_t page = 1100; page < 1200; ++page) put(*store, page, 2);
  store->trim();
  // Both committed pages and new ones: empty again, or let go.
  for (std::uint64_t page = 50; page < 55; ++page) put(*store, page, 0);
  for (std::uint64_t page = 1100; page < 1120; ++page) put(*store, page, 0);
  const std::vector<detail::page_run> released{{55, 5}, {1120, 20}};
  store->checkpoint(released);
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 50; page < 55; ++page) EXPECT_TRUE(has(*store, page, 0));
  for (std::uint64_t page = 1100; page < 1120; ++page) EXPECT_TRUE(has(*store, page, 0));
  for (std::uint64_t page = 1140; page < 1200; ++page) EXPECT_TRUE(has(*store, page, 2));
  // What was let go may be used again, in place.
  for (std::uint64_t page = 1120; page < 1140; ++page) put(*store, page, 3);
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
}

TEST_F(trimming, writes_pages_that_change_again_once_more) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(4 * mib);
  for (std::uint64_t page = 0; page < 1024; ++page) put(*store, page, 1);
  store->checkpoint();
  for (std::uint64_t round = 2; round < 6; ++round) {
    for (std::uint64_t page = round; page < 1024; page += round) put(*store, page, round);
    store->trim();
  }
  std::vector<std::uint64_t> expected(1024, 1);
  for (std::uint64_t round = 2; round < 6; ++round)
    for (std::uint64_t page = round; page < 1024; page += round) expected[page] = round;
  put(*store, 1000, 77);
  expected[1000] = 77;
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 0; page < 1024; ++page) ASSERT_TRUE(has(*store, page, expected[page]));
}

TEST_F(trimming, that_fails_loses_nothing) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(4 * mib);
  for (std::uint64_t page = 0; page < 600; ++page) put(*store, page, 1);
  store->checkpoint();
  store->wait_applied();
  for (std::uint64_t page = 0; page < 600; ++page) put(*store, page, 2);
  for (const auto& [operation, file] :
       {std::pair(os::file_operation::sync_data, "undo"), std::pair(os::file_operation::write, "undo"),
        std::pair(os::file_operation::write, "heap.000")}) {
    const watched_calls broken(failing(operation, file, ENOSPC));
    EXPECT_THROW(store->trim(), error);
  }
  for (std::uint64_t page = 0; page < 600; ++page) ASSERT_TRUE(has(*store, page, 2));
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 0; page < 600; ++page) ASSERT_TRUE(has(*store, page, 2));
}

TEST_F(trimming, survives_a_checkpoint_that_fails) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(4 * mib);
  for (std::uint64_t page = 0; page < 600; ++page) put(*store, page, 1);
  store->checkpoint();
  store->wait_applied();
  store->memory().grow(8 * mib);
  for (std::uint64_t page = 0; page < 1500; page += 2) put(*store, page, 2);
  store->trim();
  for (std::uint64_t page = 1; page < 1500; page += 6) put(*store, page, 3);
  {
    const watched_calls broken(failing(os::file_operation::sync_data, "jrnl.0", EIO));
    EXPECT_THROW(store->checkpoint(), error);
  }
  store->trim();
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 0; page < 1500; ++page) {
    const std::uint64_t expected = page % 2 == 0 ? 2 : page % 6 == 1 ? 3 : page < 600 ? 1 : 0;
    ASSERT_TRUE(has(*store, page, expected)) << page;
  }
}

TEST_F(trimming, loses_no_store_of_threads_that_go_on) {
  auto store = datastore::create(path(), small_store());
  constexpr std::size_t bytes = 32 * mib;
  constexpr int threads = 3;
  store->memory().grow(bytes);
  using counter = std::atomic<std::uint64_t>;
  const auto at = [&](std::uint64_t page, int thread) -> counter& {
    return reinterpret_cast<counter*>(store->memory().base() + page * page_size)[thread];
  };
  std::vector<std::vector<std::uint64_t>> expected(threads, std::vector<std::uint64_t>(bytes / page_size));
  std::atomic<bool> enough{false};
  for (int round = 0; round < 3; ++round) {
    enough = false;
    {
      std::vector<std::jthread> running;
      for (int thread = 0; thread < threads; ++thread) {
        running.emplace_back([&, thread] {
          std::mt19937_64 random(static_cast<std::uint64_t>(round * threads + thread));
          while (!enough) {
            const std::uint64_t page = random() % (bytes / page_size);
            counter& mine = at(page, thread);
            mine.store(mine.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            ++expected[static_cast<std::size_t>(thread)][page];
          }
        });
      }
      for (int i = 0; i < 4; ++i) store->trim();
      enough = true;
    }
    store->checkpoint();
    for (std::uint64_t page = 0; page < bytes / page_size; ++page)
      for (int thread = 0; thread < threads; ++thread)
        ASSERT_EQ(at(page, thread), expected[static_cast<std::size_t>(thread)][page]) << "page " << page;
  }
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 0; page < bytes / page_size; ++page)
    for (int thread = 0; thread < threads; ++thread)
      ASSERT_EQ(at(page, thread), expected[static_cast<std::size_t>(thread)][page]) << "page " << page;
}

TEST_F(trimming, happens_by_itself_above_the_budget) {
  store_options options = small_store();
  options.memory_budget = 32 * mib;
  auto store = datastore::create(path(), options);
  constexpr std::size_t bytes = 192 * mib;
  const std::uint64_t before = os::anonymous_memory();
  for (std::size_t done = 0; done < bytes; done += 2 * mib) {
    store->memory().grow(done + 2 * mib);
    for (std::uint64_t page = done / page_size; page < (done + 2 * mib) / page_size; ++page)
      put(*store, page, page + 1);
  }
  if (memory_can_be_measured) {
    // No promise as to when.
    for (int i = 0; i < 1000 && os::anonymous_memory() > before + 96 * mib; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_LE(os::anonymous_memory(), before + 96 * mib);
  }
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 0; page < bytes / page_size; ++page) ASSERT_TRUE(has(*store, page, page + 1));
}

TEST_F(trimming, does_nothing_for_readers) {
  {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(2 * mib);
    put(*store, 3, 1);
    store->checkpoint();
  }
  const auto reader = datastore::open_read_only(path());
  reader->trim();
  EXPECT_TRUE(has(*reader, 3, 1));
}

TEST_F(trimming, reports_what_it_saved_and_is_torn) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(4 * mib);
  for (std::uint64_t page = 0; page < 20; ++page) put(*store, page, 1);
  store->checkpoint();
  for (std::uint64_t page = 0; page < 10; ++page) put(*store, page, 2);
  store->trim();
  for (std::uint64_t page = 10; page < 20; ++page) put(*store, page, 2);
  store->trim();
  store.reset();
  {
    // In the pages of the first of two batches.
    const os::file undo = os::file::open_in(os::file::open_directory(path()), "undo", O_RDWR);
    const char flipped = 0x55;
    undo.write_at(&flipped, 1, 3 * 4096);
  }
  EXPECT_FALSE(store_maintenance::verify(path()).whole());
  EXPECT_TRUE(fails_with(errc::damaged, "undo", [&] { datastore::open(path()); }));
  EXPECT_FALSE(store_maintenance::repair(path()).after.whole());
  repair_options accepting;
  accepting.accept_damage = true;
  EXPECT_TRUE(store_maintenance::repair(path(), accepting).after.whole());
  EXPECT_EQ(datastore::open(path())->epoch(), 1u);
}

TEST_F(trimming, that_fails_half_way_does_not_spoil_the_next_checkpoint) {
  auto store = make_store_of_a_hundred_pages();
  for (const std::uint64_t page : {0, 1, 2, 50, 51}) put(*store, page, 2);
  {
    // The first run of pages is home, the second is not.
    const watched_calls broken(failing(os::file_operation::write, "heap.000", ENOSPC, 2));
    EXPECT_THROW(store->trim(), error);
  }
  {
    // As if killed right after the commit: what follows it fails.
    bool committed = false;
    const watched_calls broken([&](const os::file_call& call, std::string_view file) {
      if (call.operation == os::file_operation::sync_data && file == "jrnl.0") committed = true;
      return committed && (file == "super" || file == "crc" || file == "log") ? EIO : 0;
    });
    store->checkpoint();
    EXPECT_THROW(store->wait_applied(), error);
    store.reset();
  }
  store = datastore::open(path());
  EXPECT_EQ(store->epoch(), 2u);
  for (const std::uint64_t page : {0, 1, 2, 50, 51}) EXPECT_TRUE(has(*store, page, 2));
}

TEST_F(trimming, that_fails_half_way_leaves_pages_that_may_be_released) {
  auto store = make_store_of_a_hundred_pages();
  for (const std::uint64_t page : {0, 1, 2, 50, 51}) put(*store, page, 2);
  {
    const watched_calls broken(failing(os::file_operation::write, "heap.000", ENOSPC, 2));
    EXPECT_THROW(store->trim(), error);
  }
  const std::vector<detail::page_run> released{{0, 2}};
  store->checkpoint(released);
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path()).findings.empty());
}

TEST_F(trimming, writes_once_more_what_a_failed_sync_may_have_lost) {
  auto store = make_store_of_a_hundred_pages();
  for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, 2);
  std::atomic<bool> failed{false};
  std::atomic<std::uint64_t> written{0};
  {
    const watched_calls first([&](const os::file_call& call, std::string_view file) {
      if (file != "heap.000") return 0;
      if (call.operation == os::file_operation::write && failed) written += call.bytes;
      if (call.operation != os::file_operation::sync_data || failed) return 0;
      failed = true;
      return EIO;
    });
    EXPECT_THROW(store->trim(), error);
    EXPECT_TRUE(has(*store, 99, 2));
    store->checkpoint();
    store->wait_applied();
  }
  EXPECT_GE(written, 100 * page_size);
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  EXPECT_TRUE(has(*datastore::open(path()), 99, 2));
}

TEST_F(trimming, gives_up_no_memory_before_its_pages_are_durable) {
  auto store = make_store_of_a_hundred_pages();
  for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, 2);
  {
    // A write-back that failed: the file system shows what the disk has.
    const watched_calls device([&](const os::file_call& call, std::string_view file) {
      if (file != "heap.000" || call.operation != os::file_operation::sync_data) return 0;
      const std::vector<std::byte> old(100 * page_size, std::byte{7});
      EXPECT_EQ(::pwrite(call.descriptor, old.data(), old.size(), store::layout::home_data_offset),
                static_cast<ssize_t>(old.size()));
      return EIO;
    });
    EXPECT_THROW(store->trim(), error);
    EXPECT_THROW(store->trim(), error);
  }
  for (std::uint64_t page = 0; page < 100; ++page) ASSERT_TRUE(has(*store, page, 2)) << page;
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  EXPECT_TRUE(has(*datastore::open(path()), 99, 2));
}

TEST_F(trimming, makes_the_name_of_its_log_durable_though_the_first_try_failed) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(4 * mib);
  put(*store, 1, 1);
  store->checkpoint();
  store->wait_applied();
  put(*store, 1, 2);
  bool fails = true;
  bool made = false;
  bool durable = false;
  bool overwritten_too_early = false;
  const watched_calls calls([&](const os::file_call& call, std::string_view file) {
    if (call.operation == os::file_operation::open && call.name == std::string_view("undo")) made = true;
    if (call.operation == os::file_operation::sync && made && file == "store") durable = true;
    if (call.operation == os::file_operation::write && file == "heap.000" && !durable)
      overwritten_too_early = true;
    return fails && call.operation == os::file_operation::write && file == "undo" ? ENOSPC : 0;
  });
  EXPECT_THROW(store->trim(), error);
  EXPECT_TRUE(made);
  fails = false;
  store->trim();
  EXPECT_TRUE(durable);
  EXPECT_FALSE(overwritten_too_early);
}

TEST_F(trimming, that_fails_beside_running_threads_makes_no_store_invisible) {
  constexpr std::uint64_t pages = 8 * mib / page_size;
  std::atomic<bool> is_full{false};
  // Outlives the store, whose threads may be asking.
  const watched_calls calls([&](const os::file_call& call, std::string_view name) {
    return is_full && call.operation == os::file_operation::write && name == "undo" ? ENOSPC : 0;
  });
  auto store = datastore::create(path(), small_store());
  store->memory().grow(8 * mib);
  for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, 1);
  store->checkpoint();
  store->wait_applied();
  for (std::uint64_t round = 2; round < 6; ++round) {
    {
      is_full = true;
      std::atomic<bool> enough{false};
      const std::jthread beside([&] { keep_storing(*store, pages, enough); });
      for (int i = 0; i < 10; ++i) {
        try {
          store->trim();
        } catch (const error&) {
        }
      }
      enough = true;
      is_full = false;
    }
    store->checkpoint();
    // All is quiet now, and each of these must be found.
    for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, round);
    store->checkpoint();
    store.reset();
    store = datastore::open(path());
    for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*store, page, round)) << page;
  }
}

TEST_F(trimming, is_undone_though_the_newer_super_slot_is_damaged) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(4 * mib);
  for (const std::uint64_t epoch : {1, 2, 3}) {
    for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, epoch);
    store->checkpoint();
  }
  store->wait_applied();
  for (std::uint64_t page = 50; page < 100; ++page) put(*store, page, 4);
  store->trim();
  store.reset();
  for (const std::uint64_t slot : {0, 1}) {
    const auto copy = path("copy" + std::to_string(slot));
    std::filesystem::copy(path(), copy, std::filesystem::copy_options::recursive);
    {
      const os::file super = os::file::open_in(os::file::open_directory(copy), "super", O_RDWR);
      const char flipped = 0x5a;
      super.write_at(&flipped, 1, slot * 4096 + 100);
    }
    for (const bool writes : {false, true}) {
      const auto found = writes ? datastore::open(copy) : datastore::open_read_only(copy);
      EXPECT_EQ(found->epoch(), 3u);
      for (std::uint64_t page = 0; page < 100; ++page) ASSERT_TRUE(has(*found, page, 3)) << page;
    }
  }
}

TEST_F(trimming, refuses_a_forked_child_at_once) {
  store_options options = small_store();
  options.memory_budget = 16 * mib;
  auto store = datastore::create(path(), options);
  store->memory().grow(64 * mib);
  std::atomic<bool> enough{false};
  const std::jthread beside([&] { keep_storing(*store, 64 * mib / page_size, enough); });
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(in_another_process([&] {
      ::alarm(20);
      return code_of([&] { store->checkpoint(); }) != errc::ok ? 0 : 1;
    }));
    EXPECT_TRUE(in_another_process([&] {
      ::alarm(20);
      return code_of([&] { store->memory().grow(store->memory().size() + 2 * mib); }) != errc::ok ? 0 : 1;
    }));
  }
  enough = true;
}

TEST_F(trimming, leaves_wild_stores_to_the_kernel) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(4 * mib);
  put(*store, 0, 1);
  store->trim();
  EXPECT_FALSE(in_another_process([&] {
    ::signal(SIGABRT, SIG_DFL);
    *const_cast<volatile std::byte*>(store->memory().base() + 900 * mib) = std::byte{1};
    return 0;
  }));
}

TEST_F(trimming, does_not_disturb_writing_back) {
  store_options options = small_store();
  constexpr std::uint64_t pages = 64 * mib / page_size;
  {
    auto store = datastore::create(path(), options);
    store->memory().grow(64 * mib);
    for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, 1);
    store->checkpoint();
  }
  store_maintenance::stage_in(path(), path("fast"));
  {
    auto store = datastore::open(path("fast"));
    for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, 2);
    store->checkpoint();
  }
  ::setenv("PERDURE_MEMORY_BUDGET", "8", 1);
  EXPECT_NO_THROW(store_maintenance::stage_out(path("fast"), path()));
  ::unsetenv("PERDURE_MEMORY_BUDGET");
  EXPECT_TRUE(has(*datastore::open(path()), pages - 1, 2));
}

TEST_F(trimming, shows_readers_the_newer_of_two_journals) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(4 * mib);
  put(*store, 1000, 1);
  store->checkpoint();
  store.reset();
  std::filesystem::copy_file(path() / "super", path("super before"));
  store = datastore::open(path());
  put(*store, 1000, 2);
  put(*store, 1001, 2);
  store->checkpoint();
  put(*store, 1000, 3);
  store->trim();  // home, so that the next journal does not have its bytes
  store->checkpoint();
  store.reset();
  // As if the super block had heard of neither.
  std::filesystem::copy_file(path("super before"), path() / "super",
                             std::filesystem::copy_options::overwrite_existing);
  const auto reader = datastore::open_read_only(path());
  EXPECT_EQ(reader->epoch(), 3u);
  EXPECT_TRUE(has(*reader, 1000, 3));
  EXPECT_TRUE(has(*reader, 1001, 2));
}

class a_trimmed_history : public scratch_test, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  a_trimmed_history() : scratch_test(fast_directory()) {}
};

TEST_P(a_trimmed_history, is_kept) {
  store_options options = small_store();
  options.home_file_size = GetParam() % 2 == 0 ? std::size_t{1} << 30 : std::size_t{4} << 20;
  auto store = datastore::create(path(), options);
  model_store model(GetParam(), 6000);
  std::mt19937_64 random(GetParam() + 2000);
  for (int round = 0; round < 60; ++round) {
    const std::vector<detail::page_run> released = model.advance(store.get());
    for (std::uint64_t trims = random() % 3; trims != 0; --trims) store->trim();
    store->checkpoint(released);
    if (random() % 5 != 0) continue;
    ASSERT_TRUE(model.matches(*store)) << "before closing";
    if (random() % 2 == 0) {
      // What comes now is forgotten.
      model_store lost = model;
      lost.advance(store.get());
      store->trim();
    }
    store.reset();
    ASSERT_TRUE(store_maintenance::verify(path()).whole());
    if (random() % 2 == 0) {
      const auto reader = datastore::open_read_only(path());
      ASSERT_TRUE(model.matches(*reader)) << "as read";
    }
    store = datastore::open(path());
    ASSERT_TRUE(model.matches(*store)) << "after opening";
  }
}

// One thread beside the store's own: in two histories ThreadSanitizer has seen what there is.
#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t histories = 2;
#else
constexpr std::uint64_t histories = 6;
#endif

INSTANTIATE_TEST_SUITE_P(seeds, a_trimmed_history, ::testing::Range<std::uint64_t>(1, 1 + histories));

}  // namespace
}  // namespace perdure
