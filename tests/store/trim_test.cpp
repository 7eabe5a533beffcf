// Pages written home before their checkpoint, so that a store may be larger than memory.
#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <perdure/perdure.hpp>
#include <random>
#include <thread>
#include <vector>

#include "os/file.hpp"
#include "os/file_observer.hpp"
#include "os/memory_limits.hpp"
#include "segment/segment.hpp"
#include "store/error_matcher.hpp"
#include "store/model_store.hpp"
#include "store/scratch_directory.hpp"
#include "store/stored_pages.hpp"

namespace perdure {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

store_options small() {
  store_options options;
  options.capacity = std::size_t{1} << 30;
  return options;
}

// Makes the next calls of one kind on one file fail.
class failing_calls final : public os::file_observer {
 public:
  failing_calls(os::file_operation operation, std::string file, int with)
      : operation_(operation), file_(std::move(file)), with_(with) {
    os::observe_files(this);
  }
  ~failing_calls() override { os::observe_files(nullptr); }
  verdict before(const os::file_call& call) override {
    if (call.operation != operation_) return {};
    const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(call.descriptor));
    if (path.filename() != file_) return {};
    ++met;
    return {with_};
  }
  void after(const os::file_call&, std::int64_t, int) override {}

  std::atomic<int> met{0};

 private:
  os::file_operation operation_;
  std::string file_;
  int with_;
};

class trimming : public scratch_directory {};

TEST_F(trimming, gives_memory_back_and_keeps_the_content) {
  const auto store = datastore::create(path(), small());
  constexpr std::uint64_t pages = 96 * mib / page_size;
  store->memory().grow(96 * mib);
  const std::uint64_t before = os::anonymous_memory();
  for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, page + 1);
  ASSERT_GT(os::anonymous_memory(), before + 80 * mib);
  store->trim();
  EXPECT_LT(os::anonymous_memory(), before + 16 * mib);
  for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*store, page, page + 1));
  EXPECT_EQ(store->epoch(), 0u);
  store->checkpoint();
  for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*store, page, page + 1));
  store->close();
  EXPECT_TRUE(datastore::verify(path()).whole());
  const auto again = datastore::open(path());
  for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*again, page, page + 1));
}

TEST_F(trimming, is_undone_when_no_checkpoint_follows) {
  auto store = datastore::create(path(), small());
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
  const verify_report report = datastore::verify(path());
  EXPECT_TRUE(report.whole());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].part, store_section::undo_log);
  expect_first(*datastore::open_read_only(path()));
  datastore::copy(path(), path("copy"));
  expect_first(*datastore::open(path("copy")));
  expect_first(*datastore::open(path()));
  EXPECT_TRUE(datastore::verify(path()).findings.empty());
}

TEST_F(trimming, is_repaired_away_when_no_checkpoint_follows) {
  auto store = datastore::create(path(), small());
  store->memory().grow(2 * mib);
  put(*store, 7, 1);
  store->checkpoint();
  put(*store, 7, 2);
  store->trim();
  store.reset();
  const repair_report report = datastore::repair(path());
  EXPECT_TRUE(report.after.whole());
  EXPECT_TRUE(report.after.findings.empty());
  EXPECT_TRUE(has(*datastore::open(path()), 7, 1));
}

TEST_F(trimming, leaves_the_committed_checkpoint_to_snapshots) {
  const auto store = datastore::create(path(), small());
  store->memory().grow(4 * mib);
  for (std::uint64_t page = 0; page < 500; ++page) put(*store, page, 1);
  store->checkpoint();
  for (std::uint64_t page = 200; page < 1000; ++page) put(*store, page, 2);
  store->trim();
  store->snapshot(path("snapshot"));
  EXPECT_TRUE(datastore::verify(path("snapshot")).findings.empty());
  const auto snapshot = datastore::open(path("snapshot"));
  for (std::uint64_t page = 0; page < 1024; ++page) ASSERT_TRUE(has(*snapshot, page, page < 500 ? 1 : 0));
  store->checkpoint();
  for (std::uint64_t page = 0; page < 1000; ++page) ASSERT_TRUE(has(*store, page, page < 200 ? 1 : 2));
}

TEST_F(trimming, keeps_pages_that_became_zero_or_were_released) {
  auto store = datastore::create(path(), small());
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
  const std::vector<page_run> released{{55, 5}, {1120, 20}};
  store->checkpoint(released);
  store.reset();
  EXPECT_TRUE(datastore::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 50; page < 55; ++page) EXPECT_TRUE(has(*store, page, 0));
  for (std::uint64_t page = 1100; page < 1120; ++page) EXPECT_TRUE(has(*store, page, 0));
  for (std::uint64_t page = 1140; page < 1200; ++page) EXPECT_TRUE(has(*store, page, 2));
  // What was let go may be used again, in place.
  for (std::uint64_t page = 1120; page < 1140; ++page) put(*store, page, 3);
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(datastore::verify(path()).whole());
}

TEST_F(trimming, writes_pages_that_change_again_once_more) {
  auto store = datastore::create(path(), small());
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
  EXPECT_TRUE(datastore::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 0; page < 1024; ++page) ASSERT_TRUE(has(*store, page, expected[page]));
}

TEST_F(trimming, that_fails_loses_nothing) {
  auto store = datastore::create(path(), small());
  store->memory().grow(4 * mib);
  for (std::uint64_t page = 0; page < 600; ++page) put(*store, page, 1);
  store->checkpoint();
  store->wait_applied();
  for (std::uint64_t page = 0; page < 600; ++page) put(*store, page, 2);
  for (const auto& [operation, file] :
       {std::pair(os::file_operation::sync_data, "undo"), std::pair(os::file_operation::write, "undo"),
        std::pair(os::file_operation::write, "heap.000")}) {
    const failing_calls broken(operation, file, ENOSPC);
    EXPECT_THROW(store->trim(), error);
    EXPECT_GT(broken.met, 0);
  }
  for (std::uint64_t page = 0; page < 600; ++page) ASSERT_TRUE(has(*store, page, 2));
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(datastore::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 0; page < 600; ++page) ASSERT_TRUE(has(*store, page, 2));
}

TEST_F(trimming, survives_a_checkpoint_that_fails) {
  auto store = datastore::create(path(), small());
  store->memory().grow(4 * mib);
  for (std::uint64_t page = 0; page < 600; ++page) put(*store, page, 1);
  store->checkpoint();
  store->wait_applied();
  store->memory().grow(8 * mib);
  for (std::uint64_t page = 0; page < 1500; page += 2) put(*store, page, 2);
  store->trim();
  for (std::uint64_t page = 1; page < 1500; page += 6) put(*store, page, 3);
  {
    const failing_calls broken(os::file_operation::sync_data, "jrnl.0", EIO);
    EXPECT_THROW(store->checkpoint(), error);
  }
  store->trim();
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(datastore::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 0; page < 1500; ++page) {
    const std::uint64_t expected = page % 2 == 0 ? 2 : page % 6 == 1 ? 3 : page < 600 ? 1 : 0;
    ASSERT_TRUE(has(*store, page, expected)) << page;
  }
}

TEST_F(trimming, loses_no_store_of_threads_that_go_on) {
  auto store = datastore::create(path(), small());
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
  EXPECT_TRUE(datastore::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 0; page < bytes / page_size; ++page)
    for (int thread = 0; thread < threads; ++thread)
      ASSERT_EQ(at(page, thread), expected[static_cast<std::size_t>(thread)][page]) << "page " << page;
}

TEST_F(trimming, happens_by_itself_above_the_budget) {
  store_options options = small();
  options.memory_budget = 32 * mib;
  auto store = datastore::create(path(), options);
  constexpr std::size_t bytes = 192 * mib;
  const std::uint64_t before = os::anonymous_memory();
  for (std::size_t done = 0; done < bytes; done += 2 * mib) {
    store->memory().grow(done + 2 * mib);
    for (std::uint64_t page = done / page_size; page < (done + 2 * mib) / page_size; ++page)
      put(*store, page, page + 1);
  }
  // No promise as to when.
  for (int i = 0; i < 1000 && os::anonymous_memory() > before + 96 * mib; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(os::anonymous_memory(), before + 96 * mib);
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(datastore::verify(path()).whole());
  store = datastore::open(path());
  for (std::uint64_t page = 0; page < bytes / page_size; ++page) ASSERT_TRUE(has(*store, page, page + 1));
}

TEST_F(trimming, does_nothing_for_readers) {
  {
    const auto store = datastore::create(path(), small());
    store->memory().grow(2 * mib);
    put(*store, 3, 1);
    store->checkpoint();
  }
  const auto reader = datastore::open_read_only(path());
  reader->trim();
  EXPECT_TRUE(has(*reader, 3, 1));
}

TEST_F(trimming, reports_what_it_saved_and_is_torn) {
  auto store = datastore::create(path(), small());
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
  EXPECT_FALSE(datastore::verify(path()).whole());
  EXPECT_TRUE(fails_with(errc::damaged, "undo", [&] { datastore::open(path()); }));
  EXPECT_FALSE(datastore::repair(path()).after.whole());
  repair_options accepting;
  accepting.accept_damage = true;
  EXPECT_TRUE(datastore::repair(path(), accepting).after.whole());
  EXPECT_EQ(datastore::open(path())->epoch(), 1u);
}

class a_trimmed_history : public scratch_directory, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  a_trimmed_history() : scratch_directory(fast_directory()) {}
};

TEST_P(a_trimmed_history, is_kept) {
  store_options options = small();
  options.home_file_size = GetParam() % 2 == 0 ? std::size_t{1} << 30 : std::size_t{4} << 20;
  auto store = datastore::create(path(), options);
  model_store model(GetParam(), 6000);
  std::mt19937_64 random(GetParam() + 2000);
  for (int round = 0; round < 60; ++round) {
    const std::vector<page_run> released = model.advance(store.get());
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
    ASSERT_TRUE(datastore::verify(path()).whole());
    if (random() % 2 == 0) {
      const auto reader = datastore::open_read_only(path());
      ASSERT_TRUE(model.matches(*reader)) << "as read";
    }
    store = datastore::open(path());
    ASSERT_TRUE(model.matches(*store)) << "after opening";
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, a_trimmed_history, ::testing::Range<std::uint64_t>(1, 7));

}  // namespace
}  // namespace perdure
