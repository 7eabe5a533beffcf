// The thread beside a commit: what runs when, and what its tasks learn of those who wait.
#include "base/background_worker.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "support/failing_allocation.hpp"

namespace perdure::base {
namespace {

using namespace std::chrono_literals;

/// Whether something comes to be true before one would take it for never.
template <class Condition>
bool comes_true(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(background_worker, runs_tasks_one_after_the_other) {
  background_worker worker;
  EXPECT_TRUE(worker.is_idle());
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) worker.post([&order, i] { order.push_back(i); });
  worker.wait();
  EXPECT_TRUE(worker.is_idle());
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(background_worker, ends_when_all_tasks_are_done) {
  int done = 0;
  {
    background_worker worker;
    for (int i = 0; i < 10; ++i) {
      worker.post([&done] {
        std::this_thread::sleep_for(1ms);
        ++done;
      });
    }
  }
  EXPECT_EQ(done, 10);
}

TEST(background_worker, is_not_awaited_while_nobody_waits) {
  background_worker worker;
  for (int round = 0; round < 2; ++round) {
    std::atomic<bool> is_done = false;
    bool is_awaited = true;
    worker.post([&] {
      is_awaited = worker.is_awaited();
      is_done = true;
    });
    EXPECT_TRUE(comes_true([&] { return is_done.load(); }));
    EXPECT_FALSE(is_awaited) << "round " << round;
    // What has waited waits no more.
    worker.wait();
  }
}

TEST(background_worker, is_awaited_by_those_who_wait) {
  background_worker worker;
  bool was_awaited = false;
  worker.post([&] { was_awaited = comes_true([&] { return worker.is_awaited(); }); });
  worker.wait();
  EXPECT_TRUE(was_awaited);
}

TEST(background_worker, is_awaited_by_the_next_task) {
  background_worker worker;
  std::atomic<bool> may_look = false;
  bool was_awaited = false;
  worker.post([&] {
    comes_true([&] { return may_look.load(); });
    was_awaited = worker.is_awaited();
  });
  EXPECT_FALSE(worker.is_idle());
  worker.post([] {});
  may_look = true;
  EXPECT_TRUE(comes_true([&] { return worker.is_idle(); }));
  EXPECT_TRUE(was_awaited);
}

TEST(background_worker, is_awaited_by_its_end) {
  auto worker = std::make_unique<background_worker>();
  bool was_awaited = false;
  worker->post([&, same = worker.get()] { was_awaited = comes_true([&] { return same->is_awaited(); }); });
  worker.reset();
  EXPECT_TRUE(was_awaited);
}

TEST(background_worker, gets_the_signals_of_its_own_touches_of_memory_alone) {
  background_worker worker;
  ::sigset_t blocked;
  ::sigemptyset(&blocked);
  worker.post([&] { ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked); });
  worker.wait();
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGALRM, SIGRTMIN})
    EXPECT_EQ(::sigismember(&blocked, signal), 1) << signal;
  for (const int signal : {SIGBUS, SIGSEGV}) EXPECT_EQ(::sigismember(&blocked, signal), 0) << signal;
}

TEST(background_worker, leaves_a_task_to_the_caller_where_there_is_no_thread) {
  background_worker worker;
  std::thread::id by;
  std::function<void()> task = [&by] { by = std::this_thread::get_id(); };
  {
    const failing_allocation none(0);
    worker.post(std::move(task));
  }
  EXPECT_EQ(by, std::this_thread::get_id());
  EXPECT_TRUE(worker.is_idle());
  worker.wait();
}

}  // namespace
}  // namespace perdure::base
