// Stores whose pages are checked when they are first touched.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <perdure/perdure.hpp>
#include <random>
#include <thread>
#include <vector>

#include "segment/segment.hpp"
#include "store/file/layout.hpp"
#include "store/model_store.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/flipped_bit.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t extent_pages = 2 * mib / page_size;

store_options lazily() {
  store_options options = store_of_files(8 * mib);
  options.verify = verify_mode::lazy;
  return options;
}

std::uint64_t number_of(std::uint64_t page) {
  return page % 3 == 0 ? 0 : page + 1;  // every third was never written
}

void touch(datastore& store, std::uint64_t page) {
  static_cast<void>(*const_cast<volatile std::byte*>(store.memory().base() + page * page_size));
}

// Stores what is there. Early writing holds such threads by page protection, which ThreadSanitizer does not
// see.
__attribute__((noinline, no_sanitize("thread"))) void store_again(datastore& store, std::uint64_t page) {
  auto* const words = reinterpret_cast<volatile std::uint64_t*>(store.memory().base() + page * page_size);
  for (std::size_t i = 0; i < page_size / 8; ++i) words[i] = words[i];
}

// In a process that is expected to die: a sanitizer has a handler of its own.
void let_signals_kill() {
  ::signal(SIGBUS, SIG_DFL);
}

class lazy_verification : public scratch_test {
 protected:
  static constexpr std::uint64_t pages = 24 * mib / page_size;

  lazy_verification() : scratch_test(fast_directory()) {}
  ~lazy_verification() override { set_damage_handler(nullptr); }

  void make_store() const {
    const auto store = datastore::create(path(), lazily());
    store->memory().grow(pages * page_size);
    for (std::uint64_t page = 0; page < pages; ++page)
      if (number_of(page) != 0) put(*store, page, number_of(page));
    store->checkpoint();
  }
  void flip(const std::string& name, std::uint64_t offset) const { flip_bit(path() / name, offset); }
  void flip_page(std::uint64_t page) const {
    constexpr std::uint64_t per_file = 8 * mib / page_size;
    flip("heap.00" + std::to_string(page / per_file),
         store::layout::home_data_offset + page % per_file * page_size + 1234);
  }
  std::unique_ptr<datastore> open() const { return datastore::open(path(), lazily()); }
  std::unique_ptr<datastore> open_read_only() const { return datastore::open_read_only(path(), lazily()); }
};

using lazy_verification_death = lazy_verification;

TEST_F(lazy_verification, shows_a_sound_store) {
  make_store();
  for (const bool writable : {true, false}) {
    const auto store = writable ? open() : open_read_only();
    for (std::uint64_t page = 0; page < pages; ++page)
      ASSERT_TRUE(has(*store, page, number_of(page))) << page;
  }
}

TEST_F(lazy_verification, is_unseen_in_a_long_history) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    fs::remove_all(path());
    model_store model(seed, 8 * extent_pages);
    std::mt19937_64 random(seed);
    auto store = datastore::create(path(), lazily());
    for (int i = 0; i < 40; ++i) {
      store->checkpoint(model.advance(store.get()));
      if (random() % 4 == 0) store->trim();
      if (random() % 5 == 0) {
        ASSERT_TRUE(model.matches(*store)) << seed;
      }
      if (random() % 3 == 0) {
        store.reset();
        store = open();
      }
      if (random() % 8 == 0) {
        store.reset();
        ASSERT_TRUE(model.matches(*open_read_only())) << seed;
        store = open();
      }
    }
    store.reset();
    EXPECT_TRUE(store_maintenance::verify(path()).whole());
    EXPECT_TRUE(model.matches(*open())) << seed;
  }
}

TEST_F(lazy_verification, makes_nothing_dirty_by_looking) {
  make_store();
  const auto store = open();
  for (std::uint64_t page = 0; page < pages; page += 7) touch(*store, page);
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 1u);
  put(*store, 700, 1);
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 2u);
  store->wait_applied();
  const std::vector<checkpoint_record> log = store_maintenance::log(path());
  ASSERT_EQ(log.size(), 2u);
  EXPECT_LE(log[1].overwritten_pages + log[1].fresh_pages, 16u);
}

TEST_F(lazy_verification_death, kills_who_touches_damage_and_nobody_else) {
  make_store();
  flip_page(3001);
  constexpr std::uint64_t first = 3001 / extent_pages * extent_pages;
  for (const bool writable : {true, false}) {
    const auto store = writable ? open() : open_read_only();
    for (std::uint64_t page = 0; page < pages; ++page) {
      if (page < first || page >= first + extent_pages) {
        ASSERT_TRUE(has(*store, page, number_of(page)));
      }
    }
  }
  const char* const line =
      "store is damaged: heap.001 at byte 6000640, page 3001, epoch 1: its bytes contradict";
  const auto touched = [&](bool writable, std::uint64_t page) {
    let_signals_kill();
    touch(writable ? *open() : *open_read_only(), page);
  };
  EXPECT_EXIT(touched(true, 3001), ::testing::KilledBySignal(SIGBUS), line);
  EXPECT_EXIT(touched(true, first), ::testing::KilledBySignal(SIGBUS), line);
  EXPECT_EXIT(touched(false, 3002), ::testing::KilledBySignal(SIGBUS), line);
  const auto stored = [&] {
    let_signals_kill();
    put(*open(), 3001, 1);
  };
  EXPECT_EXIT(stored(), ::testing::KilledBySignal(SIGBUS), line);
  const auto ignored = [&] {
    ::signal(SIGBUS, SIG_IGN);
    touch(*open(), 3001);
  };
  EXPECT_EXIT(ignored(), ::testing::KilledBySignal(SIGBUS), line);
}

TEST_F(lazy_verification_death, sees_bytes_where_nothing_was_written_and_pages_that_are_gone) {
  make_store();
  flip_page(3 * 400);
  const auto touched = [&](std::uint64_t page) {
    let_signals_kill();
    touch(*open_read_only(), page);
  };
  EXPECT_EXIT(touched(1200), ::testing::KilledBySignal(SIGBUS), "page 1200, epoch 1: it was never written");
  {
    std::fstream file(path() / "heap.002", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(store::layout::home_data_offset + 6 * page_size));
    const std::vector<char> nothing(page_size);
    file.write(nothing.data(), page_size);
  }
  EXPECT_EXIT(touched(4097), ::testing::KilledBySignal(SIGBUS), "heap.002 .* page 4102, epoch 1: its bytes");
}

TEST_F(lazy_verification_death, trusts_no_damaged_table) {
  make_store();
  flip("crc", 2 * store::layout::block + 100);
  const auto store = open_read_only();
  EXPECT_TRUE(has(*store, 1, number_of(1)));
  EXPECT_TRUE(fails_with(errc::damaged, "crc at byte 8192",
                         [&] { store->require_sound(store->memory().base() + 1030 * page_size, 1); }));
  EXPECT_EXIT((let_signals_kill(), touch(*store, 1030)), ::testing::KilledBySignal(SIGBUS),
              "crc at byte 8192");
}

std::array<std::uint64_t, 8> damaged_pages;
std::size_t damages;
sigjmp_buf way_out;
int times_left;

TEST_F(lazy_verification, asks_the_handler_of_the_program) {
  make_store();
  flip_page(1100);
  flip_page(1103);
  damages = 0;
  set_damage_handler([](const page_damage& damage) { damaged_pages[damages++] = damage.page; });
  const auto store = open();
  touch(*store, 1025);
  ASSERT_EQ(damages, 2u);
  EXPECT_EQ(damaged_pages[0], 1100u);
  EXPECT_EQ(damaged_pages[1], 1103u);
  // It has returned, so it is all there as it is.
  EXPECT_FALSE(has(*store, 1100, number_of(1100)));
  EXPECT_TRUE(has(*store, 1102, number_of(1102)));
  put(*store, 1100, 5);
  put(*store, 1103, 6);
  EXPECT_EQ(damages, 2u);
  store->checkpoint();
  EXPECT_TRUE(has(*store, 1100, 5));
  store->wait_applied();
}

TEST_F(lazy_verification, lets_the_handler_leave) {
  make_store();
  flip_page(1100);
  set_damage_handler([](const page_damage&) { ::siglongjmp(way_out, 1); });
  const auto store = open_read_only();
  times_left = 0;
  while (times_left < 3) {
    if (::sigsetjmp(way_out, 1) == 0) {
      touch(*store, 1030);
      FAIL() << "the page was shown";
    }
    ++times_left;
  }
  EXPECT_TRUE(has(*store, 100, number_of(100)));
}

TEST_F(lazy_verification, throws_instead_when_asked_before) {
  make_store();
  flip_page(2200);
  for (const bool writable : {true, false}) {
    const auto store = writable ? open() : open_read_only();
    std::byte* const base = store->memory().base();
    EXPECT_TRUE(fails_with(errc::damaged,
                           "heap.001 at byte 2719744, page 2200, epoch 1: its bytes contradict",
                           [&] { store->require_sound(base + 2100 * page_size, 8 * mib); }));
    EXPECT_TRUE(
        fails_with(errc::damaged, "page 2200", [&] { store->require_sound(base + 2200 * page_size, 1); }));
    EXPECT_TRUE(
        fails_with(errc::invalid_argument, "", [&] { store->require_sound(base, pages * page_size + 1); }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { store->require_sound(&base, 1); }));
    store->require_sound(base, 0);
    EXPECT_NO_THROW(store->require_sound(base, 2048 * page_size));
    EXPECT_TRUE(has(*store, 1000, number_of(1000)));
  }
  // Where nothing is checked there is nothing to wait for.
  const auto unchecked = datastore::open(path());
  EXPECT_NO_THROW(unchecked->require_sound(unchecked->memory().base(), pages * page_size));
}

TEST_F(lazy_verification, lets_system_calls_use_what_was_asked_for) {
  make_store();
  const auto store = open();
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::byte* const bytes = store->memory().base() + 100 * page_size;
  EXPECT_EQ(::write(ends[1], bytes, page_size), -1);
  EXPECT_EQ(errno, EFAULT);
  const pager::pin held = store->pin(bytes, page_size);
  EXPECT_EQ(::write(ends[1], bytes, page_size), static_cast<ssize_t>(page_size));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(lazy_verification, withstands_many_threads) {
  make_store();
  for (int round = 0; round < 6; ++round) {
    const auto store = open();
    std::atomic<int> wrong{0};
    {
      std::vector<std::jthread> threads;
      for (unsigned t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
          std::mt19937_64 random(static_cast<std::uint64_t>(round) * 8 + t);
          for (int i = 0; i < 400; ++i) {
            // Each thread stores to pages of its own, which were never written, and looks at all others.
            const std::uint64_t page = random() % pages;
            if (page % 3 == 0) {
              if (page / 3 % 8 == t) put(*store, page, 0);
            } else if (!holds(store->memory().base() + page * page_size, number_of(page))) {
              ++wrong;
            }
          }
        });
      }
    }
    EXPECT_EQ(wrong, 0);
    store->checkpoint();
  }
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
}

TEST_F(lazy_verification, goes_on_while_memory_is_given_back) {
  make_store();
  for (int round = 0; round < 4; ++round) {
    const auto store = open();
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0};
    {
      std::vector<std::jthread> threads;
      for (unsigned t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
          std::mt19937_64 random(static_cast<std::uint64_t>(round) * 4 + t + 100);
          for (int i = 0; i < 300; ++i) {
            const std::uint64_t page = random() % (pages / 4) * 4 + t;
            if (!holds(store->memory().base() + page * page_size, number_of(page))) ++wrong;
            store_again(*store, page);
          }
        });
      }
      std::jthread trimmer([&] {
        while (!done) store->trim();
      });
      threads.clear();
      done = true;
    }
    EXPECT_EQ(wrong, 0);
    store->checkpoint();
    for (std::uint64_t page = 0; page < pages; ++page)
      ASSERT_TRUE(has(*store, page, number_of(page))) << page;
  }
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
}

TEST_F(lazy_verification, lets_private_changes_be_made) {
  make_store();
  {
    const auto store = datastore::open_copy_on_write(path(), lazily());
    for (std::uint64_t page = 0; page < pages; page += 5) {
      ASSERT_TRUE(has(*store, page, number_of(page))) << page;
      put(*store, page, page + 7000);
      ASSERT_TRUE(has(*store, page, page + 7000)) << page;
    }
  }
  const auto store = open();
  for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*store, page, number_of(page))) << page;
}

TEST_F(lazy_verification, keeps_what_is_closed_closed_while_others_are_held) {
  make_store();
  flip_page(2200);
  const auto store = open();
  put(*store, 10, 99);
  store->trim();
  put(*store, 5000, 98);
  store->trim();
  store->memory().grow(40 * mib);
  put(*store, 9000, 97);
  store->checkpoint();
  store->trim();
  EXPECT_TRUE(fails_with(errc::damaged, "page 2200",
                         [&] { store->require_sound(store->memory().base() + 2048 * page_size, 1); }));
  EXPECT_TRUE(has(*store, 10, 99));
  EXPECT_TRUE(has(*store, 5000, 98));
  EXPECT_TRUE(has(*store, 9000, 97));
  EXPECT_TRUE(has(*store, 4097, number_of(4097)));
}

TEST_F(lazy_verification, minds_no_pages_that_are_released_untouched) {
  make_store();
  const auto store = open();
  const detail::page_run gone{600, 300};
  store->checkpoint({&gone, 1});
  store->wait_applied();
  EXPECT_TRUE(has(*store, 599, number_of(599)));
  EXPECT_TRUE(has(*store, 901, number_of(901)));
  // Also if it happens meanwhile.
  std::jthread reader([&] {
    for (std::uint64_t page = 1500; page < pages; page += 300) has(*store, page, number_of(page));
  });
  for (std::uint64_t page = 1501; page + 100 < pages; page += 500) {
    const detail::page_run more{page, 100};
    store->checkpoint({&more, 1});
  }
}

TEST_F(lazy_verification, judges_by_the_journal) {
  make_store();
  fs::copy(path(), path("before"), fs::copy_options::recursive);
  {
    const auto store = open();
    for (std::uint64_t page = 1000; page < 1100; ++page) put(*store, page, page + 5000);
    store->memory().grow(26 * mib);
    put(*store, pages + 5, 12345);
    const detail::page_run gone{1200, 20};
    store->checkpoint({&gone, 1});
  }
  // Committed, its overwrites not home and its table half written: as after a crash.
  const fs::path before = path("before");
  for (const char* name : {"super", "heap.000", "crc"})
    fs::copy_file(before / name, path() / name, fs::copy_options::overwrite_existing);
  flip_page(1050);
  const auto expect_new = [&](datastore& store) {
    EXPECT_EQ(store.epoch(), 2u);
    for (std::uint64_t page = 0; page < pages; ++page) {
      if (page >= 1200 && page < 1220) continue;
      ASSERT_TRUE(has(store, page, page >= 1000 && page < 1100 ? page + 5000 : number_of(page))) << page;
    }
    EXPECT_TRUE(has(store, pages + 5, 12345));
  };
  expect_new(*open_read_only());
  flip("crc", store::layout::block + 50);
  expect_new(*open_read_only());
  fs::copy(path(), path("for a writer"), fs::copy_options::recursive);
  for (int i = 0; i < 2; ++i) expect_new(*datastore::open(path("for a writer"), lazily()));
  flip("crc", store::layout::block + 50);
  // The pages that it does not speak of are judged as ever, and so are those that are nowhere but home.
  flip_page(1101);
  flip_page(pages + 5);
  const auto store = open_read_only();
  std::byte* const base = store->memory().base();
  EXPECT_TRUE(fails_with(errc::damaged, "page 1101, epoch 1",
                         [&] { store->require_sound(base + 1050 * page_size, 1); }));
  EXPECT_TRUE(fails_with(errc::damaged, "page " + std::to_string(pages + 5) + ", epoch 2",
                         [&] { store->require_sound(base + pages * page_size, 1); }));
}

TEST_F(lazy_verification, judges_by_the_newer_of_two_journals) {
  make_store();
  fs::copy_file(path() / "super", path("super before"));
  {
    const auto store = open();
    put(*store, 1000, 5);
    put(*store, 1001, 6);
    store->memory().grow(26 * mib);
    put(*store, pages + 5, 12345);
    store->checkpoint();
    put(*store, 1000, 7);
    store->trim();  // home, so that the next journal does not have it
    store->checkpoint();
  }
  fs::copy_file(path("super before"), path() / "super", fs::copy_options::overwrite_existing);
  for (const verify_mode mode : {verify_mode::journal, verify_mode::lazy}) {
    store_options options = lazily();
    options.verify = mode;
    const auto store = datastore::open_read_only(path(), options);
    EXPECT_EQ(store->epoch(), 3u);
    EXPECT_TRUE(has(*store, 1000, 7));
    EXPECT_TRUE(has(*store, 1001, 6));
    EXPECT_TRUE(has(*store, 999 + 3, number_of(1002)));
    EXPECT_TRUE(has(*store, pages + 5, 12345));
  }
  EXPECT_TRUE(has(*open(), 1001, 6));
}

TEST_F(lazy_verification, knows_what_the_undo_log_brings_back) {
  make_store();
  {
    const auto store = open();
    for (std::uint64_t page = 1000; page < 1100; ++page) put(*store, page, page + 5000);
    store->trim();
  }
  ASSERT_GT(fs::file_size(path() / "undo"), 0u);
  for (const bool writable : {false, true}) {
    const auto store = writable ? open() : open_read_only();
    for (std::uint64_t page = 0; page < pages; ++page)
      ASSERT_TRUE(has(*store, page, number_of(page))) << page;
  }
}

TEST_F(lazy_verification, refuses_shared_mappings) {
  make_store();
  store_options options = lazily();
  options.backing = backing::shared_file;
  EXPECT_TRUE(fails_with(errc::unsupported, "shared", [&] { datastore::open(path(), options); }));
  // Whose stores keep no checksums: there is nothing to check.
  options.verify = verify_mode::journal;
  {
    const auto store = datastore::open(path(), options);
    put(*store, 1, 77);
    store->checkpoint();
  }
  EXPECT_TRUE(has(*open_read_only(), 1, 77));
}

TEST_F(lazy_verification, goes_on_in_a_forked_child_of_a_reader) {
  make_store();
  const auto store = open_read_only();
  touch(*store, 0);
  const pid_t child = ::fork();
  if (child == 0) {
    bool good = true;
    for (std::uint64_t page = 0; page < pages; page += 100) good = good && has(*store, page, number_of(page));
    ::_exit(good ? 0 : 1);
  }
  for (std::uint64_t page = 0; page < pages; page += 50) EXPECT_TRUE(has(*store, page, number_of(page)));
  EXPECT_EQ(result_of(child), 0);
}

TEST_F(lazy_verification, leaves_stores_of_readers_to_others) {
  make_store();
  const auto store = open_read_only();
  const auto stored = [&] {
    ::signal(SIGSEGV, SIG_DFL);
    const auto again = open_read_only();
    put(*again, 2000, 1);
  };
  EXPECT_EXIT(stored(), ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(lazy_verification, opens_more_where_mappings_run_out) {
  make_store();
  const int result = result_of_child([&] {
    const auto store = open();
    touch(*store, 2 * extent_pages);
    // Every second page gets another protection, until there is no mapping left.
    constexpr std::size_t bytes = std::size_t{4} << 30;
    auto* const waste = static_cast<std::byte*>(
        ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    std::size_t at = 0;
    while (at < bytes && ::mprotect(waste + at, page_size, PROT_READ) == 0) at += 2 * page_size;
    if (at >= bytes) return 2;
    bool good = true;
    for (std::uint64_t page : {std::uint64_t{1}, 10 * extent_pages + 1, 5 * extent_pages, pages - 1})
      good = good && holds(store->memory().base() + page * page_size, number_of(page));
    ::_exit(good ? 0 : 1);
  });
  if (result == 2) GTEST_SKIP() << "vm.max_map_count is too high to be reached";
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace perdure
