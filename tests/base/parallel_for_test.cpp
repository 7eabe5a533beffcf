#include "base/parallel_for.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

namespace perdure::base {
namespace {

TEST(parallel_for, does_everything_once) {
  for (const std::size_t threads : {0, 1, 3, 50}) {
    std::vector<std::atomic<int>> done(20);
    parallel_for(done.size(), threads, [&](std::size_t index, std::size_t) { ++done[index]; });
    for (const auto& one : done) EXPECT_EQ(one, 1) << "with " << threads << " threads";
  }
  parallel_for(0, 4, [](std::size_t, std::size_t) { ADD_FAILURE() << "there is nothing to do"; });
}

TEST(parallel_for, gives_each_worker_what_no_other_has) {
  constexpr std::size_t threads = 4;
  // Not atomic: ThreadSanitizer looks.
  std::vector<std::size_t> calls(threads);
  parallel_for(1000, threads, [&](std::size_t, std::size_t worker) { ++calls.at(worker); });
  std::size_t all = 0;
  for (const std::size_t one : calls) all += one;
  EXPECT_EQ(all, 1000U);
}

TEST(parallel_for, works_on_the_calling_thread_too_and_runs_no_handlers_on_others) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<std::size_t> arrived{0};
  std::atomic<int> on_caller{0};
  // Each of the two waits for the other, so there are two threads.
  parallel_for(2, 2, [&](std::size_t, std::size_t worker) {
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

TEST(parallel_for, throws_the_first_exception_and_begins_nothing_more) {
  for (const std::size_t threads : {1, 4}) {
    std::atomic<std::size_t> calls{0};
    const auto fail = [&] {
      // Without an end, were it not for the exception.
      parallel_for(std::numeric_limits<std::size_t>::max(), threads, [&](std::size_t index, std::size_t) {
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
