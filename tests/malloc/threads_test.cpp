// Threads that begin, end and pass blocks on, and children of processes with many threads.
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "support/child_process.hpp"

namespace {

/// Allocates and frees at random; every block carries a pattern that is checked before it goes.
class churn {
 public:
  explicit churn(unsigned seed) : random_(seed), blocks_(200) {}
  churn(const churn&) = delete;
  churn& operator=(const churn&) = delete;
  ~churn() {
    for (block& b : blocks_) std::free(b.bytes);
  }

  bool run(int steps) {
    for (int i = 0; i < steps; ++i) {
      block& b = blocks_[random_() % blocks_.size()];
      if (b.bytes != nullptr && (b.bytes[0] != b.mark || b.bytes[b.size - 1] != b.mark)) return false;
      const std::size_t size = 1 + (random_() % 50 == 0 ? random_() % 300000 : random_() % 600);
      if (b.bytes != nullptr && random_() % 4 == 0) {
        b.bytes = static_cast<unsigned char*>(std::realloc(b.bytes, size));
      } else {
        std::free(b.bytes);
        b.bytes = static_cast<unsigned char*>(std::malloc(size));
      }
      if (b.bytes == nullptr) return false;
      b.size = size;
      b.mark = static_cast<unsigned char>(random_());
      b.bytes[0] = b.bytes[size - 1] = b.mark;
    }
    return true;
  }

 private:
  struct block {
    unsigned char* bytes = nullptr;
    std::size_t size = 0;
    unsigned char mark = 0;
  };
  std::minstd_rand random_;
  std::vector<block> blocks_;
};

TEST(malloc_threads, EachChurnsOnItsOwn) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&wrong, t] {
      if (!churn(t).run(100000)) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(malloc_threads, BlocksAreFreedByOthers) {
  std::mutex mutex;
  std::vector<void*> passed;
  std::atomic<bool> over{false};
  std::thread consumer([&] {
    while (true) {
      const bool last = over;
      std::vector<void*> mine;
      {
        const std::lock_guard lock(mutex);
        mine.swap(passed);
      }
      for (void* const block : mine) std::free(block);
      if (last && mine.empty()) return;
    }
  });
  std::vector<std::thread> producers;
  for (unsigned t = 0; t < 3; ++t)
    producers.emplace_back([&, t] {
      for (unsigned i = 0; i < 50000; ++i) {
        void* const block = std::malloc(8 + (i * 37 + t) % 1000);
        std::memset(block, 1, 8);
        const std::lock_guard lock(mutex);
        passed.push_back(block);
      }
    });
  for (std::thread& thread : producers) thread.join();
  over = true;
  consumer.join();
}

struct at_thread_end {
  at_thread_end() = default;
  at_thread_end(const at_thread_end&) = delete;
  at_thread_end& operator=(const at_thread_end&) = delete;
  ~at_thread_end() {
    for (void* const block : blocks) std::free(block);
    void* const last = std::malloc(100);
    std::free(last);
  }
  std::vector<void*> blocks;
};
thread_local at_thread_end this_thread;

TEST(malloc_threads, DestructorsOfAThreadStillAllocate) {
  pthread_key_t key;
  ASSERT_EQ(::pthread_key_create(&key,
                                 [](void* block) {
                                   std::free(block);
                                   for (int i = 0; i < 1000; ++i)
                                     std::free(std::malloc(static_cast<std::size_t>(i)));
                                 }),
            0);
  for (int i = 0; i < 200; ++i) {
    std::thread([&] {
      ::pthread_setspecific(key, std::malloc(100));
      for (std::size_t k = 0; k < 100; ++k) this_thread.blocks.push_back(std::malloc(k * 10));
    }).join();
  }
  ::pthread_key_delete(key);
}

TEST(malloc_threads, MemoryOfEndedThreadsIsUsedAgain) {
  const auto round = [] {
    std::thread([] {
      std::vector<void*> blocks;
      for (int i = 0; i < 20000; ++i) blocks.push_back(std::malloc(200));
      for (void* const block : blocks) std::free(block);
    }).join();
  };
  round();
  const std::size_t after_one = ::mallinfo2().uordblks;
  for (int i = 0; i < 50; ++i) round();
  EXPECT_LT(::mallinfo2().uordblks, after_one + (std::size_t{1} << 20));
}

TEST(malloc_threads, ChildrenOfABusyProcessAllocate) {
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&over, t] {
      churn busy(t);
      while (!over) busy.run(100);
    });
  int failed = 0;
  for (unsigned i = 0; i < 200; ++i) {
    void* const inherited = std::malloc(1000);
    const bool is_well = perdure::in_another_process([&] {
      ::alarm(20);  // a lock that nobody is left to release would hold it for ever
      std::free(inherited);
      bool good = churn(i).run(2000);
      std::thread([&good, i] { good = good && churn(i).run(2000); }).join();
      return good && perdure::in_another_process([i] { return churn(i).run(100) ? 0 : 1; }) ? 0 : 1;
    });
    if (!is_well) ++failed;
    std::free(inherited);
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}

}  // namespace
