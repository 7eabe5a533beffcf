// Checkpoints while other threads change the store: the heap and the directory are always whole, and so is
// what threads store inside a write_guard.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <random>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "manager/refused_call.hpp"
#include "perdure/container/map.hpp"
#include "perdure/container/vector.hpp"
#include "perdure/manager.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

using namespace std::chrono_literals;

/// Threads that repeat something until they are told to stop.
class busy_threads {
 public:
  template <class Step>
  void add(int count, Step step) {
    for (int t = 0; t < count; ++t)
      threads_.emplace_back([this, step, seed = threads_.size()] {
        std::mt19937 random(static_cast<unsigned>(seed));
        while (!over_.load(std::memory_order_relaxed)) step(random);
      });
  }
  void stop() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  ~busy_threads() { stop(); }

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

/// Makes checkpoints, and shows each of some as it is on disk, opened by itself, to `look`.
template <class Look>
void look_at_checkpoints(manager& store, const scratch_directory& scratch, int checkpoints, Look look) {
  for (int i = 0; i < checkpoints; ++i) {
    if (i % 4 == 1)
      store.checkpoint_async().wait();
    else
      store.checkpoint();
    if (i % 4 != 1) continue;
    const std::filesystem::path copy = scratch.directory() / "copy";
    store.snapshot(copy);
    {
      manager seen(open_copy_on_write, copy, small_store());
      look(seen);
    }
    manager::remove(copy);
    if (testing::Test::HasFailure()) return;
  }
}

void expect_sound(const manager& store) {
  const std::vector<std::string> wrong = store.check();
  EXPECT_TRUE(wrong.empty()) << wrong.front();
}

/// Keeps some blocks of all sizes, and replaces them at random.
void churn(manager& store, std::mt19937& random) {
  constexpr std::size_t most = 100;
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (int i = 0; i < 2000; ++i) {
    if (blocks.size() == most || (!blocks.empty() && random() % 2 == 0)) {
      auto& [block, bytes] = blocks[random() % blocks.size()];
      ASSERT_EQ(block[0], static_cast<unsigned char>(bytes));
      ASSERT_EQ(block[bytes - 1], static_cast<unsigned char>(bytes));
      store.deallocate(block);
      std::swap(block, blocks.back().first);
      std::swap(bytes, blocks.back().second);
      blocks.pop_back();
      continue;
    }
    const unsigned kind = random() % 64;
    const std::size_t bytes = kind == 0   ? 2 + random() % 500'000
                              : kind < 16 ? 2 + random() % 20'000
                                          : 2 + random() % 400;
    auto* const block = static_cast<unsigned char*>(kind == 1 ? store.allocate_aligned(bytes, 64 * 1024)
                                                              : store.allocate(bytes));
    {
      // A checkpoint may read it otherwise, which is no harm, and yet a race.
      const auto guard = store.writing();
      block[0] = block[bytes - 1] = static_cast<unsigned char>(bytes);
    }
    blocks.emplace_back(block, bytes);
  }
  for (auto& [block, bytes] : blocks) store.deallocate(block);
}

void grow_containers(manager& store, std::mt19937& random) {
  using numbers = vector<int, manager::allocator_type<int>>;
  using table = map<int, int, std::less<>, manager::allocator_type<std::pair<const int, int>>>;
  numbers list(store.get_allocator<int>());
  table tree(store.get_allocator<std::pair<const int, int>>());
  for (int i = 0; i < 3000; ++i) {
    const auto guard = store.writing();
    list.push_back(i);
    tree[static_cast<int>(random() % 500)] = i;
    if (random() % 4 == 0) tree.erase(static_cast<int>(random() % 500));
  }
  const auto guard = store.writing();
  tree.clear();
}

void allocate_during_checkpoints(int checkpoints) {
  const scratch_directory scratch;
  {
    manager store(create_only, scratch.path(), small_store());
    store.construct<int>("kept")(42);
    busy_threads threads;
    threads.add(2, [&](std::mt19937& random) { churn(store, random); });
    threads.add(1, [&](std::mt19937& random) { grow_containers(store, random); });
    look_at_checkpoints(store, scratch, checkpoints, expect_sound);
    threads.stop();
    EXPECT_TRUE(store.destroy<int>("kept"));
    EXPECT_TRUE(store.all_memory_deallocated());
  }
  const manager store(open_only, scratch.path(), small_store());
  expect_sound(store);
}

TEST(Writing, ThreadsMayAllocateDuringCheckpoints) {
  allocate_during_checkpoints(12);
}

TEST(Writing, ThreadsMayAllocateDuringSnapshotsOfASharedFile) {
  const scratch_directory scratch;
  store_options options = small_store();
  options.backing = backing::shared_file;
  manager store(create_only, scratch.path(), options);
  busy_threads threads;
  threads.add(2, [&](std::mt19937& random) { churn(store, random); });
  threads.add(1, [&](std::mt19937& random) { grow_containers(store, random); });
  for (int i = 0; i < 12; ++i) {
    const std::filesystem::path copy = scratch.directory() / "copy";
    store.snapshot(copy);
    expect_sound(manager(open_read_only, copy));
    manager::remove(copy);
    if (testing::Test::HasFailure()) return;
  }
  const auto guard = store.writing();
  EXPECT_EQ(code_of([&] { store.snapshot(scratch.directory() / "copy"); }), errc::invalid_argument);
}

TEST(Writing, ThreadsThatComeAndGoDuringCheckpointsLoseNothing) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  busy_threads threads;
  threads.add(2, [&](std::mt19937& random) {
    std::thread short_lived([&store, size = 16 + random() % 5000] {
      std::vector<void*> blocks;
      for (int i = 0; i < 50; ++i) blocks.push_back(store.allocate(size));
      for (void* const block : blocks) store.deallocate(block);
    });
    short_lived.join();
  });
  for (int i = 0; i < 40; ++i) store.checkpoint();
  threads.stop();
  EXPECT_TRUE(store.all_memory_deallocated());
  expect_sound(store);
}

/// Leaves its memory as it is: the constructor runs outside the library's own changes.
struct bare {
  bare() {}
};

TEST(Writing, ObjectsMayBeMadeAndChangedDuringCheckpoints) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  busy_threads threads;
  threads.add(3, [&](std::mt19937& random) {
    const std::string name = std::to_string(random() % 300);
    switch (random() % 4) {
      case 0:
        store.find_or_construct<bare>(name)[1 + random() % 100]();
        break;
      case 1:
        store.destroy<bare>(name);
        break;
      case 2:
        store.set_store_attribute(name, std::string(random() % 3000, 'x'));
        break;
      default:
        store.remove_store_attribute(name);
    }
  });
  look_at_checkpoints(store, scratch, 12, expect_sound);
}

TEST(Writing, CheckpointsOfSeveralThreadsTakeTurns) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  busy_threads threads;
  threads.add(1, [&](std::mt19937& random) { churn(store, random); });
  threads.add(2, [&](std::mt19937&) { store.checkpoint(); });
  for (int i = 0; i < 5; ++i) expect_sound(store);
}

/// Accounts on pages of their own, whose sum never changes, but for the moments of a transfer.
struct bank {
  static constexpr int accounts = 64;
  static constexpr long each = 1000;
  struct alignas(4096) account {
    long balance = each;
  };
  account all[accounts];

  long sum() const {
    long found = 0;
    for (const account& one : all) found += one.balance;
    return found;
  }
};

void transfer(bank& accounts, std::mutex& lock, manager& store, std::mt19937& random) {
  const std::lock_guard held(lock);
  const auto guard = store.writing();
  long& from = accounts.all[random() % bank::accounts].balance;
  long& to = accounts.all[random() % bank::accounts].balance;
  from -= 7;
  // As a program's own functions might.
  const auto nested = store.writing();
  store.deallocate(store.allocate(random() % 100'000));
  if (random() % 8 == 0) std::this_thread::sleep_for(100us);
  to += 7;
}

void transfer_during_checkpoints(int checkpoints) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  auto* const accounts = store.construct<bank>("bank")();
  std::mutex lock;
  {
    busy_threads threads;
    threads.add(2, [&](std::mt19937& random) { transfer(*accounts, lock, store, random); });
    threads.add(1, [&](std::mt19937& random) { churn(store, random); });
    look_at_checkpoints(store, scratch, checkpoints, [](const manager& seen) {
      expect_sound(seen);
      EXPECT_EQ(seen.find<bank>("bank").first->sum(), bank::accounts * bank::each);
    });
  }
  store.close();
  const manager reopened(open_only, scratch.path(), small_store());
  EXPECT_EQ(reopened.find<bank>("bank").first->sum(), bank::accounts * bank::each);
}

TEST(Writing, WhatIsStoredInsideIsWholeInEveryCheckpoint) {
  transfer_during_checkpoints(12);
}

TEST(Writing, ACheckpointWaitsForTheGuard) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  std::atomic<bool> over{false};
  std::thread checkpointing;
  {
    const auto guard = store.writing();
    checkpointing = std::thread([&] {
      store.checkpoint();
      over = true;
    });
    std::this_thread::sleep_for(30ms);
    EXPECT_FALSE(over);
    // Neither what is nested nor what allocates waits for it.
    const auto nested = store.writing();
    store.deallocate(store.allocate(100));
    store.deallocate(store.allocate(1'000'000));
    *store.construct<int>("made inside")() = 3;
    EXPECT_FALSE(over);
  }
  checkpointing.join();
  EXPECT_TRUE(over);
}

TEST(Writing, AThreadThatEndsWhileACheckpointWaitsReturnsItsBlocks) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  std::binary_semaphore has_blocks{0};
  std::binary_semaphore may_end{0};
  std::thread ending([&] {
    store.deallocate(store.allocate(100));
    store.deallocate(store.allocate(1'000'000));
    has_blocks.release();
    may_end.acquire();
  });
  has_blocks.acquire();
  std::thread checkpointing;
  {
    const auto guard = store.writing();
    checkpointing = std::thread([&] { store.checkpoint(); });
    std::this_thread::sleep_for(10ms);
    may_end.release();
    std::this_thread::sleep_for(10ms);
  }
  ending.join();
  checkpointing.join();
  EXPECT_TRUE(store.all_memory_deallocated());
  expect_sound(store);
}

TEST(Writing, ClosingWaitsForTheGuardsOfOthers) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  int* const value = store.construct<int>("value")(0);
  std::binary_semaphore is_inside{0};
  std::thread other([&] {
    const auto guard = store.writing();
    *value = 1;
    is_inside.release();
    std::this_thread::sleep_for(20ms);
    *value = 2;
  });
  is_inside.acquire();
  store.close();
  other.join();
  const manager reopened(open_only, scratch.path(), small_store());
  EXPECT_EQ(*reopened.find<int>("value").first, 2);
}

TEST(Writing, WhatWouldWaitForItselfIsRefused) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  {
    const auto guard = store.writing();
    EXPECT_EQ(code_of([&] { store.checkpoint(); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { static_cast<void>(store.checkpoint_async()); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { store.close(); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { store.check(); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { store.all_memory_deallocated(); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { store.zero_free_memory(); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { store.memory().flush_caches(); }), errc::invalid_argument);
    EXPECT_NE(message_of([&] { store.checkpoint(); }).find("inside a write_guard"), std::string::npos);
    EXPECT_TRUE(store.is_open());
  }
  store.checkpoint();
  store.close();
  manager reader(open_read_only, scratch.path(), small_store());
  EXPECT_EQ(code_of([&] { const auto guard = reader.writing(); }), errc::read_only);
}

TEST(Writing, GuardsOfAnotherStoreDoNotMatter) {
  const scratch_directory scratch;
  const scratch_directory other_scratch;
  manager store(create_only, scratch.path(), small_store());
  manager other(create_only, other_scratch.path(), small_store());
  const auto guard = other.writing();
  store.checkpoint();
  EXPECT_EQ(code_of([&] { other.checkpoint(); }), errc::invalid_argument);
}

std::string close_failure;

TEST(Writing, AManagerThatEndsInsideSaysThatNothingWasKept) {
  const scratch_directory scratch;
  close_failure.clear();
  const auto before =
      set_close_failure_handler([](const std::filesystem::path&, const char* what) { close_failure = what; });
  {
    auto store = std::make_unique<manager>(create_only, scratch.path(), small_store());
    const auto guard = store->writing();
    store.reset();
  }
  set_close_failure_handler(before);
  EXPECT_NE(close_failure.find("inside a write_guard"), std::string::npos) << close_failure;
  // The thread's next guard, of another store, is one of its own.
  manager store(open_only, scratch.path(), small_store());
  { const auto guard = store.writing(); }
  store.checkpoint();
}

struct blocks_in_constructor {
  explicit blocks_in_constructor(std::binary_semaphore& begun, std::binary_semaphore& may_end) {
    begun.release();
    may_end.acquire();
  }
  int value = 5;
};

TEST(Writing, AThreadInsideIsNotMadeToWaitForAConstruction) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  std::binary_semaphore begun{0};
  std::binary_semaphore may_end{0};
  std::thread constructing(
      [&] { store.construct<blocks_in_constructor>("it")(std::ref(begun), std::ref(may_end)); });
  begun.acquire();
  {
    const auto guard = store.writing();
    EXPECT_EQ(code_of([&] { store.find_or_construct<blocks_in_constructor>("it")(begun, may_end); }),
              errc::invalid_argument);
  }
  // A thread that waits for it holds no checkpoint up.
  std::thread waiting(
      [&] { EXPECT_EQ(store.find_or_construct<blocks_in_constructor>("it")(begun, may_end)->value, 5); });
  std::this_thread::sleep_for(10ms);
  store.checkpoint();
  may_end.release();
  constructing.join();
  waiting.join();
}

struct checkpoints_itself {
  explicit checkpoints_itself(manager& store) { store.checkpoint(); }
};

TEST(Writing, ConstructorsMayMakeCheckpoints) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  EXPECT_NE(store.construct<checkpoints_itself>("it")(store), nullptr);
  expect_sound(store);
}

TEST(Writing, AThreadThatEndsInsideHoldsNobodyUp) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  testing::internal::CaptureStderr();
  alignas(write_guard) unsigned char place[sizeof(write_guard)];
  std::thread([&] { ::new (static_cast<void*>(place)) write_guard(store.writing()); }).join();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("ended inside a write_guard"), std::string::npos);
  store.checkpoint();
}

TEST(WritingDeathTest, AGuardThatEndsOnAnotherThreadStopsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const scratch_directory scratch;
        manager store(create_only, scratch.path(), small_store());
        auto guard = std::make_unique<write_guard>(store.memory());
        std::thread([&] { guard.reset(); }).join();
      },
      "ends on another thread");
}

// In processes of their own, begun anew: the kernel is asked once what it can do.

void run_without_fence(int refusal) {
  refuse_membarrier(refusal);
  allocate_during_checkpoints(4);
  transfer_during_checkpoints(4);
  ::_exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST(WritingDeathTest, AllHoldsWhereTheKernelHasNoMembarrier) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_without_fence(ENOSYS), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(run_without_fence(EPERM), testing::ExitedWithCode(0), "");
}

void checkpoint_after_a_late_filter() {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  std::binary_semaphore has_cache{0};
  std::binary_semaphore may_end{0};
  std::thread other([&] {
    store.deallocate(store.allocate(100));
    has_cache.release();
    may_end.acquire();
    // The gate is open again.
    store.deallocate(store.allocate(100));
  });
  has_cache.acquire();
  refuse_membarrier(EPERM);
  EXPECT_EQ(code_of([&] { store.checkpoint(); }), errc::unsupported);
  may_end.release();
  other.join();
  store.discard();
}

TEST(WritingDeathTest, AFilterThatComesTooLateIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        checkpoint_after_a_late_filter();
        ::_exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace perdure
