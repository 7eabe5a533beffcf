#include "base/for_each_index.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

namespace perdure::base {
namespace {

TEST(ForEachIndex, CallsTheWorkOnceForEachIndex) {
  for (const std::size_t threads : {0, 1, 3, 50}) {
    std::vector<std::atomic<int>> done(20);
    for_each_index(threads, done.size(), [&](std::size_t index, std::size_t) { ++done[index]; });
    for (const auto& one : done) EXPECT_EQ(one, 1) << "with " << threads << " threads";
  }
  for_each_index(4, 0, [](std::size_t, std::size_t) { ADD_FAILURE() << "there is nothing to do"; });
}

TEST(ForEachIndex, GivesNoTwoCallsAtOnceTheSameWorker) {
  constexpr std::size_t threads = 4;
  // Not atomic: ThreadSanitizer looks.
  std::vector<std::size_t> calls(threads);
  for_each_index(threads, 1000, [&](std::size_t, std::size_t worker) { ++calls.at(worker); });
  std::size_t all = 0;
  for (const std::size_t one : calls) all += one;
  EXPECT_EQ(all, 1000U);
}

TEST(ForEachIndex, WorksOnTheCallingThreadTooAndRunsNoHandlersOnOthers) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<std::size_t> arrived{0};
  std::atomic<int> on_caller{0};
  // Each of the two waits for the other, so there are two threads.
  for_each_index(2, 2, [&](std::size_t, std::size_t worker) {
    ++arrived;
    while (arrived != 2) std::this_thread::yield();
    sigset_t blocked;
    ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
    EXPECT_EQ(::sigismember(&blocked, SIGUSR1) == 1, worker != 0);
    if (std::this_thread::get_id() != caller) return;
    EXPECT_EQ(worker, 0U);
    ++on_caller;
  });
  EXPECT_EQ(on_caller, 1);
}

TEST(ForEachIndex, ThrowsTheFirstExceptionAndBeginsNothingMore) {
  for (const std::size_t threads : {1, 4}) {
    std::atomic<std::size_t> calls{0};
    const auto fail = [&] {
      // Without an end, were it not for the exception.
      for_each_index(threads, std::numeric_limits<std::size_t>::max(), [&](std::size_t index, std::size_t) {
        ++calls;
        if (index == 5) throw std::runtime_error("the sixth");
      });
    };
    EXPECT_THROW(fail(), std::runtime_error);
    EXPECT_GE(calls, 6U);
    if (threads == 1) {
      EXPECT_EQ(calls, 6U);
    }
  }
}

}  // namespace
}  // namespace perdure::base
