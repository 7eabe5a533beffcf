// Stores of which only a part is in memory.
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <optional>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "os/file.hpp"
#include "os/file_observer.hpp"
#include "segment/segment.hpp"
#include "store/file/layout.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

constexpr std::size_t budget = 2 * mib;

class a_paged_store : public scratch_test {
 protected:
  void SetUp() override {
    if (pager::why_unavailable(pager::tier::uffd_sigbus)) GTEST_SKIP() << "needs userfaultfd";
  }
  static store_options options() {
    store_options wanted;
    wanted.capacity = detail::segment_alignment;
    wanted.home_file_size = 16 * mib;
    wanted.backing = backing::paged;
    wanted.memory_budget = budget;
    return wanted;
  }
  std::unique_ptr<datastore> create(std::size_t bytes) {
    auto store = datastore::create(path("store"), options());
    store->memory().grow(bytes);
    return store;
  }
  std::unique_ptr<datastore> open() { return datastore::open(path("store"), options()); }
};

std::uint64_t& word(datastore& store, std::uint64_t page, std::size_t place = 0) {
  return reinterpret_cast<std::uint64_t*>(store.memory().base() + page * page_size)[place];
}

void fill_all(datastore& store, std::uint64_t pages, std::uint64_t round) {
  for (std::uint64_t page = 0; page < pages; ++page) {
    word(store, page) = page * 1000 + round;
    word(store, page, 511) = round;
  }
}

::testing::AssertionResult has_all(datastore& store, std::uint64_t pages, std::uint64_t round) {
  for (std::uint64_t page = 0; page < pages; ++page) {
    if (word(store, page) != page * 1000 + round || word(store, page, 511) != round)
      return ::testing::AssertionFailure()
             << "page " << page << " is not of round " << round << ": it begins with " << word(store, page)
             << " and ends with " << word(store, page, 511);
  }
  return ::testing::AssertionSuccess();
}

TEST_F(a_paged_store, holds_more_than_its_budget) {
  constexpr std::uint64_t pages = 12 * budget / page_size;
  {
    const auto store = create(pages * page_size);
    EXPECT_EQ(store->tracker(), "pager");
    fill_all(*store, pages, 1);
    EXPECT_TRUE(has_all(*store, pages, 1));
    store->checkpoint();
    EXPECT_TRUE(has_all(*store, pages, 1));
    fill_all(*store, pages, 2);
    EXPECT_TRUE(has_all(*store, pages, 2));
    store->checkpoint();
    fill_all(*store, pages, 3);
    const auto paging = store->paging();
    ASSERT_TRUE(paging);
    EXPECT_LE(paging->most_resident_bytes, budget);
    EXPECT_GT(paging->evictions, pages);
  }
  EXPECT_TRUE(store_maintenance::verify(path("store")).whole());
  const auto store = open();
  EXPECT_EQ(store->epoch(), 2u);
  EXPECT_TRUE(has_all(*store, pages, 2));
}

TEST_F(a_paged_store, is_not_opened_otherwise_because_descriptors_are_short) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "UndefinedBehaviorSanitizer takes an exception for damaged where it gets no descriptors";
#endif
  create(budget);
  std::vector<os::file> taken;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const os::file last_free = os::file::open_directory("/");
  const rlimit few{static_cast<rlim_t>(last_free.descriptor()) + 64, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  // Whatever opening it takes, it comes with paging or not at all.
  unsigned refused = 0;
  unsigned opened = 0;
  try {
    for (;;) taken.push_back(os::file::open_directory("/"));
  } catch (const std::system_error&) {
  }
  while (!taken.empty()) {
    try {
      const auto store = open();
      ++opened;
      EXPECT_EQ(store->tracker(), "pager");
    } catch (const error&) {
      ++refused;
    }
    taken.pop_back();
  }
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_GT(refused, 8u);
  EXPECT_GT(opened, 8u);
}

TEST_F(a_paged_store, can_be_opened_with_any_backing_and_read_by_many) {
  constexpr std::uint64_t pages = 3 * budget / page_size;
  {
    const auto store = create(pages * page_size);
    fill_all(*store, pages, 7);
    store->checkpoint();
  }
  {
    store_options with = options();
    with.backing = backing::private_memory;
    const auto store = datastore::open(path("store"), with);
    EXPECT_NE(store->tracker(), "pager");
    EXPECT_TRUE(has_all(*store, pages, 7));
  }
  const auto reader = datastore::open_read_only(path("store"), options());
  const auto other = datastore::open_read_only(path("store"), options());
  EXPECT_TRUE(has_all(*reader, pages, 7));
  EXPECT_TRUE(has_all(*other, pages, 7));
  EXPECT_LE(reader->paging()->most_resident_bytes, budget);
}

TEST_F(a_paged_store, gives_copies_of_pages_anywhere_past_its_memory) {
  constexpr std::uint64_t pages = 6 * budget / page_size;
  {
    const auto store = create(pages * page_size);
    fill_all(*store, pages, 7);
    store->checkpoint();
  }
  struct alignas(page_size) one_page {
    std::array<std::uint64_t, page_size / sizeof(std::uint64_t)> words;
  };
  // Runs of one page and of many, which go over the border of files.
  constexpr std::uint64_t at_once = 150;
  std::vector<one_page> to(pages);
  const auto copies_of = [&](datastore& store) {
    std::vector<page_copy> copies;
    std::uint64_t taken = 0;
    const auto add = [&](std::uint64_t first, std::uint64_t count) {
      copies.push_back(
          {reinterpret_cast<std::byte*>(to.data() + taken), &word(store, first), count * page_size});
      taken += count;
    };
    for (std::uint64_t page = 0; page < 1000; page += 3) add(page, 1);
    for (std::uint64_t page = 1000; page + at_once <= pages; page += at_once + 11) add(page, at_once);
    return copies;
  };
  const auto holds_copies = [&](datastore& store, std::uint64_t round) {
    std::fill(to.begin(), to.end(), one_page{});
    const std::vector<page_copy> copies = copies_of(store);
    store.copy_out(copies);
    std::uint64_t taken = 0;
    for (const page_copy& one : copies)
      for (std::uint64_t i = 0; i < one.bytes / page_size; ++i, ++taken) {
        const auto page =
            static_cast<std::uint64_t>(static_cast<const std::byte*>(one.from) - store.memory().base()) /
                page_size +
            i;
        if (to[taken].words[0] != page * 1000 + round || to[taken].words[511] != round) return false;
      }
    return true;
  };
  {
    const auto reader = datastore::open_read_only(path("store"), options());
    EXPECT_TRUE(holds_copies(*reader, 7));
    EXPECT_LT(reader->paging()->most_resident_bytes, budget / 4) << "pages went through memory";
    one_page& first = to[0];
    const auto copy = [&](void* to_here, const void* from, std::size_t bytes) {
      const page_copy one{static_cast<std::byte*>(to_here), from, bytes};
      reader->copy_out(std::span(&one, 1));
    };
    copy(&first, &word(*reader, 5), 0);
    EXPECT_TRUE(
        fails_with(errc::invalid_argument, "whole pages", [&] { copy(&first, &word(*reader, 5), 100); }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, "whole pages",
                           [&] { copy(&first.words[1], &word(*reader, 5), page_size); }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, "whole pages",
                           [&] { copy(&first, &word(*reader, 5, 1), page_size); }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, "not in the memory",
                           [&] { copy(&first, &word(*reader, pages), page_size); }));
  }
  store_options in_memory = options();
  in_memory.backing = backing::private_memory;
  EXPECT_TRUE(holds_copies(*datastore::open_read_only(path("store"), in_memory), 7));
  // What was changed is in memory or was moved out of it.
  {
    const auto changed = datastore::open_copy_on_write(path("store"), options());
    fill_all(*changed, pages, 8);
    EXPECT_TRUE(holds_copies(*changed, 8));
  }
  {
    const auto changed = datastore::open_copy_on_write(path("store"), in_memory);
    EXPECT_TRUE(holds_copies(*changed, 7));
    fill_all(*changed, pages, 8);
    EXPECT_TRUE(holds_copies(*changed, 8));
  }
  const auto writer = open();
  fill_all(*writer, pages, 9);
  EXPECT_TRUE(holds_copies(*writer, 9));
}

// Threads that read ahead make pages writable before they have said so, and may be stopped in between.
TEST_F(a_paged_store, commits_what_is_stored_while_pages_come_in) {
  constexpr std::uint64_t pages = 3 * budget / page_size;
  constexpr std::uint64_t rounds = 16;
  store_options reading = options();
  reading.backing = backing::private_memory;
  reading.beside_writer = reader_beside_writer::hold_writer;
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  {
    // The store's threads run, on this one processor, only where this thread sleeps.
    const sched_param none{};
    ASSERT_EQ(::sched_setscheduler(0, SCHED_IDLE, &none), 0);
    const auto store = create(pages * page_size);
    ASSERT_EQ(::sched_setscheduler(0, SCHED_OTHER, &none), 0);
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      fill_all(*store, pages, round);
      store->checkpoint();
      ASSERT_TRUE(has_all(*datastore::open_read_only(path("store"), reading), pages, round));
    }
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST_F(a_paged_store, keeps_private_changes_to_itself) {
  constexpr std::uint64_t pages = 3 * budget / page_size;
  {
    const auto store = create(pages * page_size);
    fill_all(*store, pages, 1);
    store->checkpoint();
  }
  {
    const auto mine = datastore::open_copy_on_write(path("store"), options());
    fill_all(*mine, pages, 2);
    EXPECT_TRUE(has_all(*mine, pages, 2));
    EXPECT_LE(mine->paging()->most_resident_bytes, budget);
  }
  EXPECT_TRUE(has_all(*open(), pages, 1));
}

// Many threads, each page's counters added to by all of them: a store that is lost is missed in the sum.
TEST_F(a_paged_store, loses_no_store_of_many_threads) {
  constexpr std::uint64_t pages = 2 * budget / page_size;
  constexpr int rounds = 3;
  constexpr std::uint64_t additions = 12'000;
  constexpr unsigned threads = 6;
  {
    const auto store = create(pages * page_size);
    std::optional<pending_checkpoint> pending;
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::jthread> all;
      for (unsigned t = 0; t < threads; ++t) {
        all.emplace_back([&, t] {
          std::mt19937_64 random(t + 100u * static_cast<unsigned>(round));
          for (std::uint64_t i = 0; i < additions; ++i)
            std::atomic_ref(word(*store, random() % pages, random() % 512)).fetch_add(1);
        });
      }
      all.clear();
      if (round % 2 == 0) {
        store->checkpoint();
      } else {
        // The threads of the next round go on while this one is made durable.
        pending.emplace(store->checkpoint_async());
      }
    }
    store->checkpoint();
  }
  const auto store = open();
  std::uint64_t sum = 0;
  for (std::uint64_t page = 0; page < pages; ++page)
    for (std::size_t place = 0; place < 512; ++place) sum += word(*store, page, place);
  EXPECT_EQ(sum, rounds * additions * threads);
}

TEST_F(a_paged_store, reads_what_is_in_the_journal_of_a_checkpoint_on_its_way) {
  constexpr std::uint64_t pages = 4 * budget / page_size;
  const auto store = create(pages * page_size);
  fill_all(*store, pages, 1);
  store->checkpoint();
  for (std::uint64_t round = 2; round < 8; ++round) {
    fill_all(*store, pages, round);
    const pending_checkpoint handle = store->checkpoint_async();
    EXPECT_TRUE(has_all(*store, pages, round));
    handle.wait();
    EXPECT_TRUE(has_all(*store, pages, round));
  }
}

TEST_F(a_paged_store, lets_system_calls_use_what_is_pinned) {
  constexpr std::uint64_t pages = 3 * budget / page_size;
  const auto store = create(pages * page_size);
  fill_all(*store, pages, 1);
  const int file = ::open(path("copy").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(file, 0);
  constexpr std::uint64_t first = 10;
  constexpr std::size_t bytes = 16 * page_size;
  std::byte* const from = store->memory().base() + first * page_size;
  {
    const pager::pin held = store->pin(from, bytes);
    EXPECT_EQ(::pwrite(file, from, bytes, 0), static_cast<ssize_t>(bytes));
  }
  std::byte* const to = store->memory().base() + (pages - 100) * page_size;
  {
    const pager::pin held = store->pin(to, bytes, pager::pin_for::writing);
    store->checkpoint();
    EXPECT_EQ(::pread(file, to, bytes, 0), static_cast<ssize_t>(bytes));
    store->checkpoint();
  }
  ::close(file);
  EXPECT_TRUE(fails_with(errc::out_of_capacity, "budget",
                         [&] { auto too_much = store->pin(store->memory().base(), pages * page_size); }));
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "memory", [&] { auto foreign = store->pin(&file, sizeof file); }));
  store->close();
  const auto again = open();
  for (std::uint64_t i = 0; i < 16; ++i) EXPECT_EQ(word(*again, pages - 100 + i), (first + i) * 1000 + 1);
}

// Another backing wrote pages home early, and its process was killed.
TEST_F(a_paged_store, takes_back_what_was_written_home_early) {
  constexpr std::uint64_t pages = 500;
  {
    const auto store = create(pages * page_size);
    fill_all(*store, pages, 1);
    store->checkpoint();
  }
  ASSERT_TRUE(in_another_process([&] {
    store_options other = options();
    other.backing = backing::private_memory;
    const auto store = datastore::open(path("store"), other);
    fill_all(*store, pages, 2);
    store->trim();
    ::_exit(0);
    return 0;
  }));
  EXPECT_TRUE(has_all(*datastore::open_read_only(path("store"), options()), pages, 1));
  EXPECT_TRUE(has_all(*open(), pages, 1));
}

TEST_F(a_paged_store, loses_no_page_beside_those_whose_copying_fails) {
  constexpr std::uint64_t pages = 2000;
  constexpr std::uint64_t first = 100;
  constexpr std::uint64_t end = first + 2 * mib / page_size;
  auto store = create(pages * page_size);
  fill_all(*store, pages, 1);
  const std::array released{detail::page_run{first, end - first}};
  store->checkpoint(released);
  store->trim();
  // The page behind them has changed since, and left memory for the journal.
  word(*store, end) = end * 1000 + 2;
  for (std::uint64_t page = end + 1; page < pages; ++page) ASSERT_EQ(word(*store, page), page * 1000 + 1);
  const std::vector<std::byte> bytes(2 * mib, std::byte{5});
  {
    // The last of them.
    constexpr std::uint64_t place = store::layout::home_data_offset + (end - 1) * page_size;
    const watched_calls full([](const os::file_call& call, std::string_view file) {
      const bool is_it = call.operation == os::file_operation::write && file == "heap.000" &&
                         call.offset <= place && place < call.offset + call.bytes;
      return is_it ? ENOSPC : 0;
    });
    EXPECT_TRUE(fails_with(errc::no_space, "",
                           [&] { store->copy_in(store->memory().base() + first * page_size, bytes); }));
  }
  for (const bool is_opened_again : {false, true}) {
    if (is_opened_again) {
      store->checkpoint();
      store->close();
      store = open();
    }
    for (std::uint64_t page = 0; page < pages; ++page) {
      if (page >= first && page < end) continue;
      ASSERT_EQ(word(*store, page), page * 1000 + (page == end ? 2 : 1)) << page;
    }
  }
}

TEST_F(a_paged_store, clears_away_pages_of_which_only_some_left_memory) {
  constexpr std::uint64_t pages = 400;
  // Lets one page of the first long write through, and fails what is written then.
  class filling_disk final : public os::file_observer {
   public:
    filling_disk() { os::observe_files(this); }
    ~filling_disk() override { os::observe_files(nullptr); }
    verdict before(const os::file_call& call) override {
      if (call.operation != os::file_operation::write || call.offset < store::layout::home_data_offset)
        return {};
      if (is_full_) return {ENOSPC};
      is_full_ = call.bytes > page_size;
      return {0, page_size};
    }
    void after(const os::file_call&, std::int64_t, int) override {}
    bool is_full() const { return is_full_; }

   private:
    std::atomic<bool> is_full_{false};
  };
  {
    const auto store = create(pages * page_size);
    for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, page + 1);
    {
      const filling_disk disk;
      EXPECT_TRUE(fails_with(errc::no_space, "", [&] { store->trim(); }));
      EXPECT_TRUE(disk.is_full());
    }
    for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, 0);
    store->checkpoint();
    store->close();
  }
  EXPECT_TRUE(store_maintenance::verify(path("store")).whole());
  const auto store = open();
  for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*store, page, 0)) << page;
}

TEST_F(a_paged_store, has_what_is_copied_over_pages_that_left_memory) {
  constexpr std::uint64_t pages = 2000;
  const auto store = create(pages * page_size);
  fill_all(*store, pages, 1);
  store->trim();
  const std::vector<std::byte> bytes(2 * mib, std::byte{5});
  std::byte* const place = store->memory().base() + 100 * page_size;
  store->copy_in(place, bytes);
  EXPECT_EQ(std::memcmp(place, bytes.data(), bytes.size()), 0);
  store->checkpoint();
  EXPECT_EQ(std::memcmp(place, bytes.data(), bytes.size()), 0);
}

// They were needed by the last checkpoint, so they left memory for the journal of the next one.
TEST_F(a_paged_store, commits_nothing_once_a_page_in_its_journal_is_another) {
  constexpr std::uint64_t pages = 4 * budget / page_size;
  const auto store = create(pages * page_size);
  fill_all(*store, pages, 1);
  store->checkpoint();
  store->wait_applied();
  fill_all(*store, pages, 2);
  store->trim();
  {
    const os::file journal = os::file::open_in(os::file::open_directory(path("store")), "jrnl.0", O_RDWR);
    ASSERT_GT(journal.size(), pages / 2 * page_size);
    const std::vector<char> other(pages / 2 * page_size, 'x');
    journal.write_at(other.data(), other.size(), store::layout::block);
  }
  bool is_lost = false;
  for (std::uint64_t page = 0; page < pages && !is_lost; ++page)
    is_lost = fails_with(errc::io, "", [&] { const auto pin = store->pin(&word(*store, page), 8); });
  EXPECT_TRUE(is_lost);
  EXPECT_TRUE(fails_with(errc::io, "reopen", [&] { store->checkpoint(); }));
}

TEST_F(a_paged_store, prefetches) {
  constexpr std::uint64_t pages = 4 * budget / page_size;
  {
    const auto store = create(pages * page_size);
    fill_all(*store, pages, 1);
    store->checkpoint();
  }
  const auto store = open();
  store->prefetch(store->memory().base(), budget / 4);
  const std::uint64_t loaded = store->paging()->resident_bytes;
  EXPECT_GE(loaded, budget / 4);
  const std::uint64_t faults = store->paging()->faults;
  EXPECT_TRUE(has_all(*store, budget / 4 / page_size, 1));
  EXPECT_EQ(store->paging()->faults, faults);
}

TEST_F(a_paged_store, outlives_a_full_disk) {
  constexpr std::uint64_t pages = 3 * budget / page_size;
  {
    const auto store = create(pages * page_size);
    fill_all(*store, pages, 1);
    store->checkpoint();
    store->wait_applied();
    std::atomic<bool> is_full{true};
    const watched_calls calls([&](const os::file_call& call, std::string_view) {
      const bool takes_space = call.operation == os::file_operation::write ||
                               call.operation == os::file_operation::reserve_space ||
                               call.operation == os::file_operation::resize;
      return takes_space && is_full ? ENOSPC : 0;
    });
    fill_all(*store, pages, 2);
    EXPECT_TRUE(fails_with(errc::no_space, "space", [&] { store->checkpoint(); }));
    EXPECT_TRUE(fails_with(errc::no_space, "space", [&] { store->trim(); }));
    EXPECT_TRUE(has_all(*store, pages, 2));
    is_full = false;
    store->trim();
    EXPECT_LE(store->paging()->resident_bytes, budget);
    EXPECT_TRUE(has_all(*store, pages, 2));
    store->checkpoint();
    store->wait_applied();
  }
  EXPECT_TRUE(store_maintenance::verify(path("store")).whole());
  EXPECT_TRUE(has_all(*open(), pages, 2));
}

// The next sync of the first home file fails, and what the file had not on disk is lost.
class lost_write_back final : public os::file_observer {
 public:
  lost_write_back(std::filesystem::path home, std::uint64_t first, std::uint64_t pages)
      : home_(std::move(home)), first_(first), pages_(pages) {
    os::observe_files(this);
  }
  ~lost_write_back() override { os::observe_files(nullptr); }

  verdict before(const os::file_call& call) override {
    if (call.operation != os::file_operation::sync_data && call.operation != os::file_operation::sync)
      return {};
    const std::string link = "/proc/self/fd/" + std::to_string(call.descriptor);
    if (std::filesystem::read_symlink(link) != home_ || has_failed_.exchange(true)) return {};
    const int file = ::open(home_.c_str(), O_WRONLY | O_CLOEXEC);
    const std::vector<char> old(pages_ * page_size);
    const auto offset = static_cast<off_t>(2 * mib + first_ * page_size);
    const ::ssize_t written = ::pwrite(file, old.data(), old.size(), offset);
    ::close(file);
    return {written == static_cast<::ssize_t>(old.size()) ? EIO : 0};
  }
  void after(const os::file_call&, std::int64_t, int) override {}

 private:
  std::filesystem::path home_;
  std::uint64_t first_;
  std::uint64_t pages_;
  std::atomic<bool> has_failed_{false};
};

TEST_F(a_paged_store, commits_nothing_that_a_failed_snapshot_lost) {
  constexpr std::uint64_t old_pages = budget / page_size;
  constexpr std::uint64_t new_pages = 2 * budget / page_size;
  const auto store = create(old_pages * page_size);
  fill_all(*store, old_pages, 1);
  store->checkpoint();
  word(*store, 3) = 7;
  store->checkpoint();
  store->memory().grow((old_pages + new_pages) * page_size);
  fill_all(*store, old_pages + new_pages, 2);
  store->trim();
  {
    lost_write_back fault(path("store") / "heap.000", old_pages, new_pages);
    EXPECT_TRUE(fails_with(errc::io, "", [&] { store->snapshot(path("copy")); }));
  }
  EXPECT_TRUE(fails_with(errc::io, "reopen", [&] { store->checkpoint(); }));
  store->close();
  const auto again = open();
  EXPECT_EQ(again->epoch(), 2u);
  EXPECT_EQ(word(*again, 3), 7u);
}

// A sync that failed is no reason to ask for pages that were released since.
TEST_F(a_paged_store, misses_no_page_that_it_released_after_a_failed_sync) {
  constexpr std::uint64_t pages = budget / page_size;
  const auto store = create(pages * page_size);
  fill_all(*store, pages, 1);
  store->checkpoint();
  word(*store, 3) = 7;
  store->checkpoint();
  store->memory().grow(2 * pages * page_size);
  for (std::uint64_t page = pages; page < 2 * pages; ++page) word(*store, page) = page;
  store->trim();
  {
    const watched_calls failed(failing({os::file_operation::sync_data}, "heap.000", EIO));
    EXPECT_TRUE(fails_with(errc::io, "", [&] { store->snapshot(path("copy")); }));
  }
  const detail::page_run released{pages, pages};
  store->checkpoint({&released, 1});
  EXPECT_EQ(word(*store, 3), 7u);
}

// Reads the page right after it was first punched at home, as a thread may that reads ahead.
class reader_after_punching final : public os::file_observer {
 public:
  explicit reader_after_punching(std::uint64_t& in) : in_(&in) { os::observe_files(this); }
  ~reader_after_punching() override { os::observe_files(nullptr); }

  verdict before(const os::file_call&) override { return {}; }
  void after(const os::file_call& call, std::int64_t, int) override {
    if (call.operation == os::file_operation::punch && !found_) found_ = std::atomic_ref(*in_).load();
  }
  std::optional<std::uint64_t> found() const { return found_; }

 private:
  std::uint64_t* in_;
  std::optional<std::uint64_t> found_;
};

TEST_F(a_paged_store, misses_no_page_that_is_read_while_it_is_released) {
  constexpr std::uint64_t fresh = budget / page_size;
  const auto store = create(budget);
  store->checkpoint();
  store->memory().grow(2 * budget);
  word(*store, fresh) = 1;
  store->trim();
  const detail::page_run released{fresh, 1};
  {
    const reader_after_punching reader(word(*store, fresh));
    store->checkpoint({&released, 1});
    store->wait_applied();
    EXPECT_TRUE(reader.found());
  }
  word(*store, 2) = 5;
  store->checkpoint();
  EXPECT_EQ(word(*store, 2), 5u);
}

// The journal is replaced then, and pages that have left memory are in the new file.
TEST_F(a_paged_store, finds_pages_again_that_left_it_before_and_after_a_checkpoint_that_fails) {
  constexpr std::uint64_t pages = 4 * budget / page_size;
  std::atomic<bool> fails{false};
  // Outlives the store, whose threads may be asking.
  const watched_calls calls([&](const os::file_call& call, std::string_view file) {
    return fails && call.operation == os::file_operation::sync_data && file.starts_with("jrnl.") ? EIO : 0;
  });
  auto store = create(pages * page_size);
  fill_all(*store, pages, 1);
  store->checkpoint();
  store->wait_applied();
  fill_all(*store, pages, 2);
  fails = true;
  EXPECT_TRUE(fails_with(errc::io, "", [&] { store->checkpoint(); }));
  fails = false;
  EXPECT_TRUE(has_all(*store, pages, 2));
  fill_all(*store, pages, 3);
  EXPECT_TRUE(has_all(*store, pages, 3));
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path("store")).whole());
  EXPECT_TRUE(has_all(*open(), pages, 3));
}

// A touch would be a SIGBUS, of which a handler may go on; a pin throws instead.
TEST_F(a_paged_store, commits_nothing_once_a_page_did_not_come_back_as_it_was) {
  constexpr std::uint64_t pages = 4 * budget / page_size;
  const auto store = create(page_size);
  store->checkpoint();
  const std::uint64_t epoch = store->epoch();
  store->memory().grow(pages * page_size);
  fill_all(*store, pages, 1);
  // Most of these have left memory for home.
  constexpr std::uint64_t others = pages / 2;
  {
    const os::file home = os::file::open_in(os::file::open_directory(path("store")), "heap.000", O_WRONLY);
    const std::vector<char> other(others * page_size, 'x');
    home.write_at(other.data(), other.size(), 2 * mib);
  }
  bool is_lost = false;
  for (std::uint64_t page = 1; page < others && !is_lost; ++page)
    is_lost = fails_with(errc::io, "", [&] { const auto pin = store->pin(&word(*store, page), 8); });
  EXPECT_TRUE(is_lost);
  EXPECT_TRUE(fails_with(errc::io, "reopen", [&] { store->checkpoint(); }));
  store->close();
  EXPECT_EQ(open()->epoch(), epoch);
}

TEST_F(a_paged_store, takes_no_space_for_pages_that_are_empty_when_they_leave) {
  constexpr std::uint64_t pages = 6 * budget / page_size;
  const auto store = create(pages * page_size);
  fill_all(*store, pages, 1);
  for (std::uint64_t page = 0; page < pages; ++page) {
    word(*store, page) = 0;
    word(*store, page, 511) = 0;
  }
  store->trim();
  store->checkpoint();
  store->wait_applied();
  EXPECT_LT(store->info().disk_bytes, pages * page_size / 4);
  for (std::uint64_t page = 0; page < pages; page += 7) EXPECT_EQ(word(*store, page), 0u);
}

TEST_F(a_paged_store, is_not_there_in_a_forked_child) {
  const auto store = create(4 * mib);
  fill_all(*store, 100, 1);
  EXPECT_TRUE(in_another_process(
      [&] { return code_of([&] { store->checkpoint(); }) == errc::invalid_argument ? 0 : 1; }));
  store->checkpoint();
  EXPECT_TRUE(has_all(*store, 100, 1));
}

TEST_F(a_paged_store, works_with_the_least_budget) {
  store_options least = options();
  least.memory_budget = 1;
  constexpr std::uint64_t pages = 300;
  {
    const auto store = datastore::create(path("store"), least);
    store->memory().grow(pages * page_size);
    fill_all(*store, pages, 1);
    store->checkpoint();
    fill_all(*store, pages, 2);
    store->checkpoint();
    EXPECT_LE(store->paging()->most_resident_bytes, pager::least_budget);
  }
  EXPECT_TRUE(has_all(*datastore::open(path("store"), least), pages, 2));
}

TEST_F(a_paged_store, is_chosen_by_the_environment) {
  const auto with = [&](const char* value) {
    ::setenv("PERDURE_BACKING", value, 1);
    store_options plain;
    plain.capacity = detail::segment_alignment;
    const auto made = datastore::create(path(std::string("store.") + value), plain);
    return made->tracker();
  };
  EXPECT_EQ(with("paged"), "pager");
  EXPECT_NE(with("private"), "pager");
  EXPECT_TRUE(fails_with(errc::invalid_argument, "PERDURE_BACKING", [&] { with("cardboard"); }));
  ::unsetenv("PERDURE_BACKING");
}

}  // namespace
}  // namespace perdure
