// Stores in persistent memory: what is different from other backings. The tests of the other files run with
// it too (tested_backing.hpp).
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <perdure/perdure.hpp>
#include <set>
#include <thread>
#include <vector>

#include "os/file.hpp"
#include "os/file_observer.hpp"
#include "os/persistent_memory.hpp"
#include "os/thread_sanitizer.hpp"
#include "segment/segment.hpp"
#include "store/model_store.hpp"
#include "store/tested_backing.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

class in_persistent_memory : public scratch_test {
 protected:
  // Where the directory is in none, the page cache stands in for it.
  in_persistent_memory() { os::pretend_persistent_memory(tested::wish() != "dax"); }
  ~in_persistent_memory() override { os::pretend_persistent_memory(false); }

  // A store at epoch 1 with pages 0..999 of 4 MiB.
  std::unique_ptr<datastore> thousand_pages() {
    auto store = datastore::create(path(), small_store(backing::dax));
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, page + 1);
    store->checkpoint();
    return store;
  }

  static ::testing::AssertionResult is_first_epoch(datastore& store) {
    if (store.epoch() != 1) return ::testing::AssertionFailure() << "epoch " << store.epoch();
    if (store.memory().size() != 4 * mib) return ::testing::AssertionFailure() << store.memory().size();
    for (std::uint64_t page = 0; page < 1024; ++page) {
      if (!has(store, page, page < 1000 ? page + 1 : 0))
        return ::testing::AssertionFailure() << "page " << page << " is wrong";
    }
    return ::testing::AssertionSuccess();
  }
};

TEST_F(in_persistent_memory, a_store_is_refused_where_there_is_none) {
  if (tested::wish() == "dax") GTEST_SKIP() << "there is some";
  os::pretend_persistent_memory(false);
  EXPECT_TRUE(
      fails_with(errc::unsupported, "DAX", [&] { datastore::create(path(), small_store(backing::dax)); }));
  EXPECT_FALSE(std::filesystem::exists(path())) << "what was begun is taken away";
  datastore::create(path(), small_store(backing::private_memory));
  EXPECT_TRUE(
      fails_with(errc::unsupported, "-o dax", [&] { datastore::open(path(), small_store(backing::dax)); }));
  EXPECT_TRUE(fails_with(errc::unsupported, "DAX",
                         [&] { manager refused(open_or_create, path(), small_store(backing::dax)); }));
  EXPECT_NO_THROW(datastore::open(path()));
}

TEST_F(in_persistent_memory, a_segment_is_mapped_so_that_stores_are_synchronous) {
  if (tested::wish() != "dax") GTEST_SKIP() << "the directory is not in persistent memory";
  const auto store = thousand_pages();
  const auto base = reinterpret_cast<std::uintptr_t>(store->memory().base());
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool is_of_segment = false;
  std::size_t synchronous = 0;
  while (std::getline(maps, line)) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      is_of_segment = begin >= base && end <= base + store->memory().size();
    if (is_of_segment && line.starts_with("VmFlags:")) {
      EXPECT_NE(line.find(" sf"), std::string::npos) << line;
      ++synchronous;
    }
  }
  EXPECT_GT(synchronous, 0u);
}

TEST_F(in_persistent_memory, what_was_stored_after_the_last_checkpoint_is_undone) {
  {
    const auto store = thousand_pages();
    for (std::uint64_t page = 0; page < 1000; page += 3) put(*store, page, page + 5000);
    put(*store, 1001, 1);
    store->memory().grow(8 * mib);
    for (std::uint64_t page = 1024; page < 2048; ++page) put(*store, page, page);
  }
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  EXPECT_TRUE(is_first_epoch(*datastore::open_read_only(path())));
  store_maintenance::copy(path(), path("copy"));
  EXPECT_TRUE(is_first_epoch(*datastore::open(path("copy"))));
  EXPECT_TRUE(is_first_epoch(*datastore::open(path(), small_store(backing::dax))));
  EXPECT_TRUE(store_maintenance::verify(path()).findings.empty());
}

TEST_F(in_persistent_memory, a_store_may_be_opened_with_any_backing) {
  thousand_pages().reset();
  model_store model(7, 3000);
  std::filesystem::remove_all(path());
  constexpr backing in_turn[] = {backing::dax, backing::private_memory};
  auto store = datastore::create(path(), small_store(backing::dax));
  for (int round = 0; round < 40; ++round) {
    const std::vector<detail::page_run> released = model.advance(store.get());
    store->checkpoint(released);
    if (round % 3 == 0) {
      model_store lost = model;
      lost.advance(store.get());
    }
    if (round % 2 == 0) continue;
    store.reset();
    ASSERT_TRUE(store_maintenance::verify(path()).whole()) << round;
    store = datastore::open(path(), small_store(in_turn[(round / 2 + 1) % 2]));
    ASSERT_TRUE(model.matches(*store)) << round;
  }
}

TEST_F(in_persistent_memory, a_killed_program_leaves_the_last_checkpoint) {
  thousand_pages().reset();
  EXPECT_EQ(result_of_child([&] {
              const auto store = datastore::open(path(), small_store(backing::dax));
              for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, page + 7);
              return ::kill(::getpid(), SIGKILL);
            }),
            128 + SIGKILL);
  EXPECT_TRUE(is_first_epoch(*datastore::open_read_only(path())));
  EXPECT_TRUE(is_first_epoch(*datastore::open(path(), small_store(backing::private_memory))));
  EXPECT_TRUE(store_maintenance::verify(path()).findings.empty());
}

TEST_F(in_persistent_memory, more_can_change_than_the_part_of_the_undo_log_that_is_mapped) {
  constexpr std::uint64_t pages = 48 * mib / page_size;
  {
    const auto store = datastore::create(path(), small_store(backing::dax));
    store->memory().grow(48 * mib);
    for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, page + 1);
    store->checkpoint();
    for (const std::uint64_t plus : {2, 3}) {
      for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, page + plus);
      store->checkpoint();
    }
    for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, page + 4);
  }
  const auto store = datastore::open(path());
  EXPECT_EQ(store->epoch(), 3u);
  for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*store, page, page + 3)) << page;
}

TEST_F(in_persistent_memory, a_checkpoint_names_only_the_pages_that_differ) {
  auto store = thousand_pages();
  put(*store, 500, 7);
  store->checkpoint({}, "one page");
  put(*store, 500, 7);
  store->checkpoint({}, "the same");
  store.reset();
  const std::vector<checkpoint_record> log = store_maintenance::log(path());
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[1].fresh_pages + log[1].overwritten_pages, 1u);
  EXPECT_EQ(log[2].fresh_pages + log[2].overwritten_pages, 0u);
  EXPECT_TRUE(has(*datastore::open(path()), 500, 7));
}

TEST_F(in_persistent_memory, what_a_checkpoint_names_is_persistent_before_its_journal) {
  const auto store = thousand_pages();
  for (const std::uint64_t page : {3, 500}) put(*store, page, 7);
  const std::byte* const base = store->memory().base();
  std::set<std::uint64_t> persistent;
  bool is_committed = false;
  const watched_calls calls([&](const os::file_call& call, std::string_view file) {
    if (call.operation == os::file_operation::persist) {
      for (const iovec& part : call.data) {
        const auto* const begin = static_cast<const std::byte*>(part.iov_base);
        if (begin < base || begin >= base + 4 * mib) continue;
        for (std::size_t at = 0; at < part.iov_len; at += page_size)
          persistent.insert(static_cast<std::uint64_t>(begin - base + static_cast<std::ptrdiff_t>(at)) /
                            page_size);
      }
    }
    if (call.operation == os::file_operation::write && file == "jrnl.0") {
      is_committed = true;
      EXPECT_TRUE(persistent.contains(3) && persistent.contains(500));
    }
    return 0;
  });
  store->checkpoint();
  EXPECT_TRUE(is_committed);
}

TEST_F(in_persistent_memory, a_checkpoint_takes_the_space_for_its_checksums_first) {
  const auto store = thousand_pages();
  store->memory().grow(8 * mib);
  put(*store, 2040, 7);
  {
    const watched_calls full(failing(os::file_operation::reserve_space, "crc", ENOSPC));
    EXPECT_TRUE(fails_with(errc::no_space, "", [&] { store->checkpoint(); }));
  }
  EXPECT_EQ(store->epoch(), 1u);
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 2u);
}

TEST_F(in_persistent_memory, an_asynchronous_checkpoint_says_why_it_failed) {
  const auto store = thousand_pages();
  put(*store, 3, 7);
  {
    const watched_calls broken(failing(os::file_operation::write, "jrnl.0", EIO));
    EXPECT_TRUE(fails_with(errc::io, "", [&] { store->checkpoint_async().wait(); }));
  }
  store->checkpoint_async().wait();
  EXPECT_EQ(store->epoch(), 2u);
}

TEST_F(in_persistent_memory, a_snapshot_has_a_checkpoint_whose_checksums_could_not_be_written) {
  const auto store = thousand_pages();
  put(*store, 3, 7);
  {
    const watched_calls broken(failing(os::file_operation::write, "crc", EIO));
    store->checkpoint();
  }
  store->snapshot(path("copy"));
  EXPECT_TRUE(store_maintenance::verify(path("copy")).whole());
  EXPECT_TRUE(has(*datastore::open_read_only(path("copy")), 3, 7));
  store->close();
  EXPECT_TRUE(fails_with(errc::invalid_argument, "closed", [&] { store->snapshot(path("another")); }));
}

TEST_F(in_persistent_memory, nothing_is_mapped_when_a_store_is_closed) {
  EXPECT_EQ(result_of_child([&] {
              ::signal(SIGSEGV, SIG_DFL);
              const auto store = thousand_pages();
              const volatile std::byte* const byte = store->memory().base();
              store->close();
              return static_cast<int>(*byte);
            }),
            128 + SIGSEGV);
}

TEST_F(in_persistent_memory, threads_may_store_to_the_same_pages_at_once) {
  constexpr unsigned threads = 4;
  constexpr std::uint64_t pages = 512;
  std::uint64_t rounds = 0;
  {
    const auto store = datastore::create(path(), small_store(backing::dax));
    store->memory().grow(4 * mib);
    for (; rounds < 10; ++rounds) {
      {
        std::vector<std::jthread> all;
        for (unsigned thread = 0; thread < threads; ++thread) {
          all.emplace_back([&store, thread, rounds] {
            for (std::uint64_t page = 0; page < pages; ++page)
              store->memory().base()[page * page_size + thread] =
                  std::byte{static_cast<unsigned char>(rounds + 1)};
          });
        }
      }
      if (rounds < 9) store->checkpoint();
    }
  }
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  const auto store = datastore::open(path());
  for (std::uint64_t page = 0; page < pages; ++page) {
    for (unsigned thread = 0; thread < threads; ++thread)
      ASSERT_EQ(store->memory().base()[page * page_size + thread], std::byte{9}) << page;
  }
}

TEST_F(in_persistent_memory, threads_that_are_not_quiet_wait_for_a_checkpoint) {
  constexpr std::uint64_t counters = 256;
  const auto counter = [](datastore& store, std::uint64_t i) {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(store.memory().base() + i * page_size);
  };
  {
    const auto store = datastore::create(path(), small_store(backing::dax));
    store->memory().grow(4 * mib);
    std::atomic<bool> enough{false};
    // Each counter is raised in turn: what a checkpoint holds is some state that was.
    std::jthread beside([&] {
      for (std::uint64_t i = 0; !enough; ++i) counter(*store, i % counters)->fetch_add(1);
    });
    for (int i = 0; i < 50; ++i) store->checkpoint();
    enough = true;
  }
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  const auto store = datastore::open(path());
  for (std::uint64_t i = 1; i < counters; ++i) {
    const std::uint64_t before = *counter(*store, i - 1);
    EXPECT_TRUE(*counter(*store, i) == before || *counter(*store, i) + 1 == before);
  }
}

TEST_F(in_persistent_memory, a_snapshot_holds_the_last_checkpoint_though_threads_store) {
  const auto store = thousand_pages();
  {
    std::atomic<bool> enough{false};
    const std::jthread beside([&] {
      for (std::uint64_t i = 0; !enough; ++i) put(*store, i * 37 % 1024, i);
    });
    for (const char* name : {"one", "two", "three"}) store->snapshot(path(name));
    enough = true;
  }
  for (const char* name : {"one", "two", "three"}) {
    EXPECT_TRUE(store_maintenance::verify(path(name)).whole());
    EXPECT_TRUE(is_first_epoch(*datastore::open(path(name)))) << name;
  }
}

TEST_F(in_persistent_memory, system_calls_store_into_what_was_made_writable) {
  const auto store = thousand_pages();
  std::byte* const target = store->memory().base() + 100 * page_size + 50;
  const std::size_t bytes = 20 * page_size;
  const os::file zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC), "/dev/zero");
  errno = 0;
  EXPECT_EQ(::read(zeros.descriptor(), target, bytes), -1);
  EXPECT_EQ(errno, EFAULT);
  store->make_writable(target, bytes);
  EXPECT_EQ(::read(zeros.descriptor(), target, bytes), static_cast<ssize_t>(bytes));
  store->close();
  EXPECT_TRUE(is_first_epoch(*datastore::open(path()))) << "and it was saved before";
}

TEST_F(in_persistent_memory, only_bytes_of_the_segment_are_made_writable) {
  const auto store = thousand_pages();
  int elsewhere = 0;
  EXPECT_TRUE(fails_with(errc::invalid_argument, "not in the memory",
                         [&] { store->make_writable(&elsewhere, sizeof elsewhere); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "not in the memory",
                         [&] { store->make_writable(store->memory().base(), 4 * mib + 1); }));
  store->make_writable(store->memory().base() + 4 * mib, 0);
}

TEST_F(in_persistent_memory, lazy_checks_are_refused) {
  thousand_pages().reset();
  store_options lazy = small_store(backing::dax);
  lazy.verify = verify_mode::lazy;
  EXPECT_TRUE(fails_with(errc::unsupported, "first touched", [&] { datastore::open(path(), lazy); }));
  lazy.verify = verify_mode::open;
  EXPECT_TRUE(is_first_epoch(*datastore::open(path(), lazy)));
}

TEST_F(in_persistent_memory, a_forked_child_can_do_no_harm) {
  auto store = thousand_pages();
  put(*store, 3, 77);
  EXPECT_FALSE(in_another_process([&] {
    ::signal(SIGSEGV, SIG_DFL);
    *const_cast<volatile std::byte*>(store->memory().base() + 3 * page_size) = std::byte{1};
    return 0;
  }));
  EXPECT_TRUE(has(*store, 3, 77));
  store->checkpoint();
  EXPECT_TRUE(has(*store, 3, 77));
}

TEST_F(in_persistent_memory, a_checkpoint_that_fails_leaves_the_one_before_and_can_be_repeated) {
  for (const os::file_operation operation : {os::file_operation::write, os::file_operation::sync_data}) {
    for (const char* file : {"jrnl.0", "crc", "super"}) {
      std::filesystem::remove_all(path());
      auto store = thousand_pages();
      for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, page + 2);
      const detail::page_run gone{990, 5};
      bool failed = false;
      {
        const watched_calls broken(failing(operation, file, EIO));
        try {
          store->checkpoint(std::span(&gone, 1));
        } catch (const error& failure) {
          EXPECT_EQ(failure.code(), errc::io);
          failed = true;
        }
        // It stands where it was committed before the failure.
        EXPECT_EQ(failed, store->epoch() == 1) << file;
        if (!failed) {
          EXPECT_TRUE(fails_with(errc::io, "", [&] { store->wait_applied(); }));
        }
      }
      put(*store, 5, 50);
      put(*store, 991, 50);
      if (failed) {
        std::filesystem::copy(path(), path("cut"), std::filesystem::copy_options::recursive);
        EXPECT_TRUE(is_first_epoch(*datastore::open(path("cut")))) << file;
        std::filesystem::remove_all(path("cut"));
      }
      store->checkpoint();
      store.reset();
      EXPECT_TRUE(store_maintenance::verify(path()).findings.empty()) << file;
      store = datastore::open(path());
      for (std::uint64_t page = 0; page < 990; ++page)
        ASSERT_TRUE(has(*store, page, page == 5 ? 50 : page + 2)) << file << page;
      EXPECT_TRUE(has(*store, 991, 50));
    }
  }
}

sigjmp_buf way_out;
void leave(int, siginfo_t*, void*) {
  ::siglongjmp(way_out, 1);
}

// ThreadSanitizer blocks signals in handlers, and so has nobody's handler called for one that is sent there.
#ifdef PERDURE_THREAD_SANITIZER
constexpr bool bus_errors_are_deadly = true;
#else
constexpr bool bus_errors_are_deadly = false;
#endif

class bus_errors_leave {
 public:
  bus_errors_leave() {
    struct sigaction action {};
    action.sa_sigaction = leave;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, &before_);
  }
  bus_errors_leave(const bus_errors_leave&) = delete;
  bus_errors_leave& operator=(const bus_errors_leave&) = delete;
  ~bus_errors_leave() { ::sigaction(SIGBUS, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

TEST_F(in_persistent_memory, a_write_whose_before_image_finds_no_room_is_a_bus_error) {
  if (bus_errors_are_deadly) GTEST_SKIP() << "not with this sanitizer";
  constexpr std::uint64_t pages = 32 * mib / page_size;
  const auto store = datastore::create(path(), small_store(backing::dax));
  store->memory().grow(32 * mib);
  for (const std::uint64_t end : {pages, pages / 4}) {
    for (std::uint64_t page = 0; page < end; ++page) put(*store, page, page + 1);
    store->checkpoint();
  }
  // The log gets no longer than it is.
  auto broken = std::make_unique<watched_calls>(failing(os::file_operation::resize, "undo", ENOSPC));
  std::atomic<std::uint64_t> page{0};
  {
    const bus_errors_leave handler;
    if (sigsetjmp(way_out, 1) == 0) {
      for (; page < pages; ++page) put(*store, page, page + 2);
      FAIL() << "there was room";
    }
  }
  const std::uint64_t reached = page;
  EXPECT_GT(reached, 1000u);
  EXPECT_TRUE(has(*store, reached, reached + 1)) << "it was not let through";
  EXPECT_TRUE(fails_with(errc::no_space, "prepare", [&] {
    store->make_writable(store->memory().base() + reached * page_size, page_size);
  }));
  // The next checkpoint makes room.
  store->checkpoint();
  put(*store, reached, reached + 2);
  broken.reset();
  for (std::uint64_t rest = reached; rest < pages; ++rest) put(*store, rest, rest + 2);
  store->checkpoint();
  store->close();
  const auto again = datastore::open(path());
  for (std::uint64_t one = 0; one < pages; ++one) ASSERT_TRUE(has(*again, one, one + 2)) << one;
}

// Were its commit found after a crash, what is saved of the checkpoint before would not count.
TEST_F(in_persistent_memory, a_journal_that_failed_and_cannot_be_replaced_lets_no_store_through) {
  if (bus_errors_are_deadly) GTEST_SKIP() << "not with this sanitizer";
  auto store = thousand_pages();
  put(*store, 7, 70);
  const bus_errors_leave handler;
  {
    using enum os::file_operation;
    const watched_calls broken(failing({write, sync, sync_data}, "jrnl.", EIO));
    EXPECT_TRUE(fails_with(errc::io, "jrnl", [&] { store->checkpoint(); }));
    if (sigsetjmp(way_out, 1) == 0) {
      put(*store, 8, 80);
      FAIL() << "it was let through";
    }
    EXPECT_TRUE(fails_with(errc::io, "", [&] { store->checkpoint(); }));
  }
  EXPECT_TRUE(has(*store, 7, 70));
  EXPECT_TRUE(has(*store, 8, 9));
  store->checkpoint();
  put(*store, 8, 80);
  store->checkpoint();
  store.reset();
  store = datastore::open(path());
  EXPECT_EQ(store->epoch(), 3u);
  EXPECT_TRUE(has(*store, 7, 70));
  EXPECT_TRUE(has(*store, 8, 80));
}

TEST_F(in_persistent_memory, a_segment_does_not_grow_beyond_the_disk) {
  const auto store = thousand_pages();
  {
    const watched_calls full(failing(os::file_operation::reserve_space, "heap.000", ENOSPC));
    EXPECT_THROW(store->memory().grow(8 * mib), std::bad_alloc);
    EXPECT_EQ(store->memory().size(), 4 * mib);
  }
  store->memory().grow(8 * mib);
  put(*store, 2000, 5);
  store->checkpoint();
}

TEST_F(in_persistent_memory, objects_live) {
  {
    manager store(create_only, path(), small_store(backing::dax));
    auto& map = *store.construct<flat_map<string, long>>("words")();
    for (int i = 0; i < 20000; ++i) ++map[string(std::to_string(i % 5000), map.get_allocator())];
    store.checkpoint();
    store.destroy<flat_map<string, long>>("words");
    store.checkpoint();
    auto& again = *store.construct<flat_map<string, long>>("words")();
    for (int i = 0; i < 300; ++i) ++again[string(std::to_string(i), again.get_allocator())];
  }
  EXPECT_TRUE(store_maintenance::verify(path()).findings.empty());
  manager store(open_only, path(), small_store(backing::dax));
  const auto* const found = store.find<flat_map<string, long>>("words").first;
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->size(), 300u);
}

}  // namespace
}  // namespace perdure
