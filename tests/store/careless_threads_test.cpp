// Threads that store to a store while it makes its checkpoints. Each store falls into this epoch or the next:
// none is lost for good, and no page comes to contradict its checksum.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>
#include <thread>
#include <vector>

#include "segment/segment.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

constexpr std::uint64_t pages = 2048;
constexpr std::size_t words = page_size / sizeof(std::uint64_t);
constexpr unsigned writers = 2;

std::atomic_ref<std::uint64_t> word(datastore& store, std::uint64_t page, std::size_t at) {
  return std::atomic_ref(reinterpret_cast<std::uint64_t*>(store.memory().base() + page * page_size)[at]);
}

// Each thread counts in words of its own, in pages that all of them use.
class careless_threads {
 public:
  explicit careless_threads(datastore& store) : store_(store), counts_(writers) {
    for (unsigned number = 0; number < writers; ++number)
      threads_.emplace_back([this, number](const std::stop_token& stop) { work(number, stop); });
  }
  ~careless_threads() { stop(); }
  void stop() { threads_.clear(); }

  /// How often each word was counted up, by thread and page.
  const std::vector<std::vector<std::uint64_t>>& counts() const { return counts_; }

  static std::size_t place(unsigned number, std::uint64_t page) { return (page * 37 + number * 101) % words; }

 private:
  void work(unsigned number, const std::stop_token& stop) {
    counts_[number].resize(pages);
    std::uint64_t state = number + 1;
    while (!stop.stop_requested()) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const std::uint64_t page = (state >> 33) % pages;
      // Not an atomic addition: it reads and stores, as a program would.
      const auto counter = word(store_, page, place(number, page));
      counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      ++counts_[number][page];
    }
  }

  datastore& store_;
  std::vector<std::vector<std::uint64_t>> counts_;
  std::vector<std::jthread> threads_;
};

class a_store_of_careless_threads : public scratch_test {
 protected:
  a_store_of_careless_threads() : scratch_test(fast_directory()) {}

  static ::testing::AssertionResult has_all(datastore& store, const careless_threads& threads) {
    std::uint64_t lost = 0;
    for (unsigned number = 0; number < writers; ++number)
      for (std::uint64_t page = 0; page < pages; ++page)
        lost += threads.counts()[number][page] -
                word(store, page, careless_threads::place(number, page)).load(std::memory_order_relaxed);
    if (lost == 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << lost << " stores are lost";
  }
};

TEST_F(a_store_of_careless_threads, has_every_store_in_memory_and_in_the_next_quiet_checkpoint) {
  auto store = datastore::create(path(), small_store());
  store->memory().grow(pages * page_size);
  store->checkpoint();
  careless_threads threads(*store);
  for (int round = 0; round < 60; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (round % 3 == 0) {
      store->checkpoint_async().wait();
    } else {
      store->checkpoint();
    }
  }
  threads.stop();
  EXPECT_TRUE(has_all(*store, threads)) << "in memory";
  store->checkpoint();
  store->close();
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  const auto again = datastore::open(path(), small_store());
  EXPECT_TRUE(has_all(*again, threads)) << "in the store";
}

// Fresh pages, overwritten ones, and those that the checkpoint before has in its journal.
TEST_F(a_store_of_careless_threads, is_whole_after_each_checkpoint) {
  for (unsigned checkpoints = 1; checkpoints <= 4; ++checkpoints) {
    const std::filesystem::path where = path("store-" + std::to_string(checkpoints));
    ASSERT_TRUE(in_another_process([&]() -> int {
      const auto store = datastore::create(where, small_store());
      store->memory().grow(pages * page_size);
      const careless_threads threads(*store);
      for (unsigned i = 0; i < checkpoints; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        store->checkpoint();
      }
      ::_exit(0);
    }));
    EXPECT_EQ(store_maintenance::verify(where).damages, 0u);
    datastore::open(where, small_store())->close();
    EXPECT_TRUE(store_maintenance::verify(where).whole());
  }
}

}  // namespace
}  // namespace perdure
