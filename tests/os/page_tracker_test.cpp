// Each tracker against a model of what was stored to; on file mappings, small and huge pages, growth.
#include "os/page_tracker.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <perdure/error.hpp>
#include <random>
#include <set>
#include <thread>

#include "os/file.hpp"
#include "os/mapping.hpp"
#include "os/thread_sanitizer.hpp"
#include "support/child_process.hpp"

namespace perdure::os {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t mib = std::size_t{1} << 20;

std::set<std::uint64_t> pages_of(const std::vector<byte_range>& ranges) {
  std::set<std::uint64_t> pages;
  for (const byte_range& range : ranges) {
    for (std::uint64_t at = range.offset; at < range.offset + range.bytes; at += page)
      pages.insert(at / page);
  }
  return pages;
}

class a_page_tracker : public ::testing::TestWithParam<tracker_kind> {
 protected:
  // [0, in_file) is a private mapping of a file, the rest of the reservation anonymous.
  void SetUp() override {
    if (!tracker_works(GetParam())) GTEST_SKIP() << name_of(GetParam()) << " does not work on this system";
    scratch_ = file(::memfd_create("page tracker test", MFD_CLOEXEC), "memfd");
    scratch_.resize(in_file);
    range_ = reservation(capacity, std::size_t{2} * mib);
    map_private(range_.base(), in_file, scratch_.descriptor(), 0, access::read_write);
    memory_.emplace(range_.base(), capacity);
    tracker_ = make_page_tracker(GetParam(), *memory_);
    tracker_->open_range(0, in_file);
  }
  void TearDown() override {
    if (tracker_) tracker_->detach();
  }

  std::set<std::uint64_t> collect(std::size_t bytes) {
    std::vector<byte_range> ranges;
    tracker_->collect({0, bytes}, ranges);
    for (const byte_range& r : ranges) {
      EXPECT_EQ(r.offset % page, 0u);
      EXPECT_LE(r.offset + r.bytes, bytes);
    }
    return pages_of(ranges);
  }
  // Every page stored to is found; others only as far as this kind is coarse.
  void expect_found(const std::set<std::uint64_t>& found, const std::set<std::uint64_t>& stored) {
    for (const std::uint64_t p : stored) EXPECT_TRUE(found.contains(p)) << "page " << p << " was missed";
    std::set<std::uint64_t> units;
    for (const std::uint64_t p : stored) units.insert(unit_of(p));
    for (const std::uint64_t p : found)
      EXPECT_TRUE(units.contains(unit_of(p))) << "page " << p << " was not stored to";
  }
  // First page of the unit in which this kind finds page p. Anonymous memory may be huge pages, where the
  // system makes them unasked.
  static std::uint64_t unit_of(std::uint64_t p) {
    if (GetParam() == tracker_kind::mprotect) return p / 16 * 16;
    return p < in_file / page ? p : p / 512 * 512;
  }
  // What a store does after a checkpoint when the tracker cannot renew itself.
  void settle() {
    if (tracker_->rearms()) return;
    drop_pages(range_.base(), in_file);
  }
  void store_to(std::uint64_t p, std::size_t byte = 0) {
    *const_cast<volatile std::byte*>(range_.base() + p * page + byte) = std::byte{1};
  }

  static constexpr std::size_t in_file = 8 * mib;
  static constexpr std::size_t capacity = 256 * mib;
  file scratch_;
  reservation range_;
  std::optional<guarded_range> memory_;
  std::unique_ptr<page_tracker> tracker_;
};

TEST_P(a_page_tracker, finds_what_was_stored_to_in_each_interval) {
  std::mt19937 random(7);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t p = 0; p < in_file / page; ++p)
      (void)*const_cast<volatile std::byte*>(range_.base() + p * page);
    std::set<std::uint64_t> stored;
    for (int i = 0; i < 30; ++i) {
      const std::uint64_t p = random() % (in_file / page);
      store_to(p, random() % page);
      stored.insert(p);
    }
    expect_found(collect(in_file), stored);
    settle();
    if (tracker_->rearms()) {
      EXPECT_TRUE(collect(in_file).empty()) << "nothing was stored to since";
    }
  }
}

TEST_P(a_page_tracker, finds_nothing_where_nothing_was_stored_to) {
  for (std::size_t p = 0; p < in_file / page; ++p)
    (void)*const_cast<volatile std::byte*>(range_.base() + p * page);
  EXPECT_TRUE(collect(in_file).empty());
}

TEST_P(a_page_tracker, follows_growth) {
  store_to(3);
  tracker_->open_range(in_file, 4 * mib);
  store_to(in_file / page + 5);
  tracker_->open_range(in_file + 4 * mib, 4 * mib);
  store_to((in_file + 4 * mib) / page);
  expect_found(collect(in_file + 8 * mib), {3, in_file / page + 5, (in_file + 4 * mib) / page});
  if (!tracker_->rearms()) return;
  store_to(in_file / page + 5);
  expect_found(collect(in_file + 8 * mib), {in_file / page + 5});
}

TEST_P(a_page_tracker, sees_single_pages_within_huge_ones) {
  prefer_huge_pages(range_.base() + in_file, capacity - in_file);
  tracker_->open_range(in_file, 32 * mib);
  for (std::uint64_t p = in_file / page; p < (in_file + 32 * mib) / page; ++p) store_to(p);
  const std::set<std::uint64_t> all = collect(in_file + 32 * mib);
  EXPECT_EQ(all.size(), 32 * mib / page);
  if (!tracker_->rearms()) return;
  EXPECT_TRUE(collect(in_file + 32 * mib).empty());
  store_to(in_file / page + 700);
  store_to(in_file / page + 5000);
  expect_found(collect(in_file + 32 * mib), {in_file / page + 700, in_file / page + 5000});
}

TEST_P(a_page_tracker, finds_more_scattered_pages_than_one_answer_of_the_kernel_holds) {
  tracker_->open_range(in_file, 64 * mib);
  std::set<std::uint64_t> stored;
  for (std::uint64_t p = 0; p < (in_file + 64 * mib) / page; p += 2) {
    store_to(p);
    stored.insert(p);
  }
  expect_found(collect(in_file + 64 * mib), stored);
}

TEST_P(a_page_tracker, finds_pages_stored_to_after_they_were_dropped) {
  store_to(9);
  collect(in_file);
  drop_pages(range_.base(), 16 * page);
  store_to(9);
  expect_found(collect(in_file), {9});
}

TEST_P(a_page_tracker, counts_only_what_it_is_asked_about) {
  store_to(1);
  store_to(1000);
  expect_found(collect(mib), {1});
}

TEST_P(a_page_tracker, holds_threads_that_store_to_a_held_part) {
  store_to(1);
  const byte_range held{0, mib};
  tracker_->hold_writers(held);
  std::atomic<int> stored{0};
  std::thread inside([&] {
    store_to(2);
    stored = 1;
  });
  store_to(mib / page);  // not held
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(stored, 0);
  begin_ordered_reads();
  const std::byte seen = range_.base()[2 * page];
  end_ordered_reads();
  EXPECT_EQ(seen, std::byte{0});
  expect_found(collect(mib), {1});
  tracker_->admit_writers(held);
  inside.join();
  EXPECT_EQ(range_.base()[2 * page], std::byte{1});
  settle();
  store_to(2);
  expect_found(collect(mib), {2});
}

TEST_P(a_page_tracker, follows_a_held_part_that_is_mapped_anew) {
  tracker_->open_range(in_file, 4 * mib);
  store_to(in_file / page);
  const byte_range held{in_file, 2 * mib};
  tracker_->hold_writers(held);
  std::vector<byte_range> dirty;
  tracker_->collect(held, dirty);
  EXPECT_FALSE(dirty.empty());
  map_private(range_.base() + in_file, 2 * mib, scratch_.descriptor(), 0, access::read);
  tracker_->remapped(held);
  tracker_->admit_writers(held);
  for (std::uint64_t p = 0; p < 2 * mib / page; ++p)
    (void)*const_cast<volatile std::byte*>(range_.base() + in_file + p * page);
  EXPECT_TRUE(collect(in_file + 4 * mib).empty());
  store_to(in_file / page + 7);
  expect_found(collect(in_file + 4 * mib), {in_file / page + 7});
}

// Takes all mappings a process may have (vm.max_map_count).
class all_mappings {
 public:
  all_mappings() {
    base_ = static_cast<std::byte*>(
        ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (std::size_t at = 0; at < bytes; at += 2 * page)
      if (::mprotect(base_ + at, page, PROT_READ | PROT_WRITE) != 0) return;
  }
  all_mappings(const all_mappings&) = delete;
  all_mappings& operator=(const all_mappings&) = delete;
  ~all_mappings() { ::munmap(base_, bytes); }

 private:
  static constexpr std::size_t bytes = 140'000 * page;
  std::byte* base_;
};

TEST_P(a_page_tracker, holds_nobody_when_holding_fails) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer needs mappings itself";
#endif
  tracker_->open_range(in_file, 8 * mib);
  for (std::uint64_t p = 0; p < (in_file + 8 * mib) / page; ++p) store_to(p);
  const byte_range part{2 * mib, 2 * mib};
  {
    const all_mappings taken;
    EXPECT_THROW(tracker_->hold_writers(part), std::system_error);
  }
  collect(in_file);
  store_to(2 * mib / page);
  // And the next time it holds again.
  tracker_->hold_writers(part);
  std::atomic<bool> stored{false};
  std::thread inside([&] {
    store_to(2 * mib / page, 1);
    stored = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(stored);
  tracker_->admit_writers(part);
  inside.join();
}

TEST_P(a_page_tracker, lets_nobody_into_a_held_part_when_mappings_are_short) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs mappings itself";
#endif
  const byte_range part{2 * mib, 2 * mib};
  tracker_->hold_writers(part);
  std::atomic<bool> stored{false};
  // Made before, as a thread needs mappings too.
  std::atomic<bool> now{false};
  std::thread outside([&] {
    now.wait(false);
    store_to(6 * mib / page + 16);
  });
  {
    const all_mappings taken;
    now = true;
    now.notify_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  std::thread inside([&] {
    store_to(2 * mib / page);
    stored = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(stored);
  tracker_->admit_writers(part);
  inside.join();
  outside.join();
}

TEST_P(a_page_tracker, holds_nobody_in_a_forked_child) {
  tracker_->hold_writers({0, mib});
  EXPECT_TRUE(in_another_process([&] {
    store_to(2);
    return range_.base()[2 * page] == std::byte{1} ? 0 : 1;
  }));
  tracker_->admit_writers({0, mib});
}

TEST_P(a_page_tracker, stays_with_the_parent_after_a_fork) {
  store_to(1);
  collect(in_file);
  settle();
  ASSERT_TRUE(in_another_process([&] {
    store_to(2);
    return 0;
  }));
  store_to(30);
  expect_found(collect(in_file), {30});
}

INSTANTIATE_TEST_SUITE_P(kinds, a_page_tracker,
                         ::testing::Values(tracker_kind::uffd, tracker_kind::pagemap, tracker_kind::mprotect),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

TEST(choosing_a_tracker, follows_the_environment) {
  for (const tracker_kind kind : {tracker_kind::uffd, tracker_kind::pagemap, tracker_kind::mprotect}) {
    if (!tracker_works(kind)) continue;
    ::setenv("PERDURE_TRACKER", std::string(name_of(kind)).c_str(), 1);
    EXPECT_EQ(choose_tracker(), kind);
  }
  ::setenv("PERDURE_TRACKER", "no such thing", 1);
  EXPECT_THROW(choose_tracker(), perdure::error);
  ::unsetenv("PERDURE_TRACKER");
}

TEST(choosing_a_tracker, takes_the_one_that_does_on_direct_access_files) {
  ::setenv("PERDURE_TRACKER", "uffd", 1);
  EXPECT_EQ(choose_tracker(mapped_medium::direct_access), tracker_kind::mprotect);
  ::unsetenv("PERDURE_TRACKER");
}

volatile sig_atomic_t handler_ran = 0;
std::byte* guarded = nullptr;

TEST(the_mprotect_tracker, leaves_the_faults_of_others_to_others) {
  // A handler that was there first still gets what is not ours.
  struct sigaction before {};
  struct sigaction mine {};
  mine.sa_handler = [](int) {
    handler_ran = handler_ran + 1;
    ::mprotect(guarded, page, PROT_READ | PROT_WRITE);
  };
  EXPECT_TRUE(in_another_process([&] {
    ::sigaction(SIGSEGV, &mine, &before);
    guarded = static_cast<std::byte*>(::mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    reservation range(2 * mib, 2 * mib);
    guarded_range memory(range.base(), range.size());
    const auto tracker = make_mprotect_tracker(memory);
    tracker->open_range(0, range.size());
    *const_cast<volatile std::byte*>(guarded) = std::byte{1};
    *const_cast<volatile std::byte*>(range.base()) = std::byte{1};
    std::vector<byte_range> dirty;
    tracker->collect({0, range.size()}, dirty);
    tracker->detach();
    return handler_ran == 1 && dirty.size() == 1 ? 0 : 1;
  }));
}

TEST(the_mprotect_tracker, lets_a_stray_store_end_the_program) {
  EXPECT_FALSE(in_another_process([&] {
    ::signal(SIGSEGV, SIG_DFL);
    reservation range(4 * mib, 2 * mib);
    guarded_range memory(range.base(), range.size());
    const auto tracker = make_mprotect_tracker(memory);
    tracker->open_range(0, 2 * mib);
    std::byte* const elsewhere =
        static_cast<std::byte*>(::mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    *const_cast<volatile std::byte*>(elsewhere) = std::byte{1};
    return 0;
  }));
}

}  // namespace
}  // namespace perdure::os
