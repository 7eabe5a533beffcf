// A thread that runs tasks beside its owner, one after the other.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace perdure::base {

/// The thread starts with the first task. It runs no signal handlers but those for its own touches of memory.
/// Thread-safe.
class background_worker {
 public:
  background_worker() = default;
  background_worker(const background_worker&) = delete;
  background_worker& operator=(const background_worker&) = delete;
  /// Waits for all tasks.
  ~background_worker();

  /// Has the thread run a task after those posted before. The task must not throw. Where the system refuses a
  /// thread, the caller runs it at once.
  void post(std::function<void()> task);
  /// Waits until no task is left.
  void wait();
  /// Returns whether no task is left.
  bool is_idle();
  /// For a task that can be left undone: whether another thread waits for its end, or another task is posted
  /// behind it.
  bool is_awaited();

 private:
  void loop();
  void start_thread();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;  // the first is being run
  int waiting_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace perdure::base
