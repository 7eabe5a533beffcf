#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <perdure/workload/parallel.hpp>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {
namespace workload = perdure::workload;

TEST(RunThreads, CallsEachNumberOnceTheLastOnTheCaller) {
  for (const unsigned threads : {1U, 2U, 3U, 17U}) {
    std::vector<int> calls(threads);
    std::vector<std::thread::id> callers(threads);
    workload::run_threads(threads, [&](unsigned index) {
      ++calls[index];
      callers[index] = std::this_thread::get_id();
    });
    EXPECT_EQ(calls, std::vector<int>(threads, 1));
    EXPECT_EQ(callers.back(), std::this_thread::get_id());
  }
}

TEST(RunThreads, UsesTheSameThreadsAgain) {
  // Numbers of the kernel, because those of the standard library are given to a new thread as soon as one has
  // ended.
  std::mutex mutex;
  std::set<pid_t> seen;
  for (int round = 0; round < 500; ++round)
    workload::run_threads(3, [&](unsigned) {
      const std::lock_guard lock(mutex);
      seen.insert(::gettid());
    });
  // Each round of a pool without memory would bring two threads of its own. The pool has one thread for each
  // that any test before this one asked for, and any of them may be the one that takes a task.
  EXPECT_LE(seen.size(), 100);
}

TEST(RunThreads, CarriesAnErrorBackWhenAllHaveEnded) {
  std::atomic<int> ended{0};
  EXPECT_THROW(workload::run_threads(4,
                                     [&](unsigned index) {
                                       ++ended;
                                       if (index == 1) throw std::runtime_error("one");
                                     }),
               std::runtime_error);
  EXPECT_EQ(ended, 4);
}

// Without locks: ThreadSanitizer must see that what is done before, inside and after is in this order.
TEST(RunThreads, OrdersWhatIsBeforeInsideAndAfter) {
  std::vector<long> numbers(1000, 1);
  for (int round = 0; round < 200; ++round) {
    for (long& n : numbers) ++n;
    workload::parallel_for(4, numbers.size(), 10, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) numbers[i] *= 2;
    });
    for (long& n : numbers) n /= 2;
  }
  EXPECT_EQ(numbers, std::vector<long>(1000, 201));
}

TEST(RunThreads, MayBeCalledInsideAndFromSeveralThreads) {
  std::atomic<int> calls{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        for (int round = 0; round < 20; ++round)
          workload::run_threads(3, [&](unsigned) { workload::run_threads(2, [&](unsigned) { ++calls; }); });
      });
  }
  EXPECT_EQ(calls, 3 * 20 * 3 * 2);
}

TEST(RunThreads, WorkInAForkedChildToo) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not follow threads into a child";
#endif
  std::atomic<int> before{0};
  workload::run_threads(3, [&](unsigned) { ++before; });
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<int> calls{0};
    workload::run_threads(3, [&](unsigned) { ++calls; });
    ::_exit(calls == 3 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(ParallelFor, CoversEachElementOnce) {
  for (const unsigned threads : {1U, 2U, 5U})
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1001}})
      for (const std::size_t grain : {std::size_t{1}, std::size_t{8}, std::size_t{5000}}) {
        std::vector<std::atomic<int>> seen(count);
        workload::parallel_for(threads, count, grain, [&](std::size_t begin, std::size_t end) {
          EXPECT_LT(begin, end);
          for (std::size_t i = begin; i < end; ++i) ++seen[i];
        });
        for (const std::atomic<int>& one : seen) EXPECT_EQ(one, 1);
      }
}

TEST(ParallelFor, WhatFitsOnePieceIsDoneByTheCaller) {
  workload::parallel_for(4, 100, 100, [&, caller = std::this_thread::get_id()](std::size_t, std::size_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST(ParallelFor, BeginsNoMorePiecesAfterAnError) {
  std::atomic<int> pieces{0};
  EXPECT_THROW(workload::parallel_for(2, 1'000'000, 1,
                                      [&](std::size_t, std::size_t) {
                                        if (++pieces == 3) throw std::runtime_error("enough");
                                      }),
               std::runtime_error);
  EXPECT_LT(pieces, 1'000'000);
}

}  // namespace
