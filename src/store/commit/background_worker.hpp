// A thread that runs tasks beside its owner, one after the other.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace perdure {

/// The thread starts with the first task. Thread-safe.
class background_worker {
 public:
  background_worker() = default;
  background_worker(const background_worker&) = delete;
  background_worker& operator=(const background_worker&) = delete;
  /// Waits for all tasks.
  ~background_worker();

  /// Has a task run after those posted before. It must not throw. Where the system gives no thread it is run
  /// here and now.
  void post(std::function<void()> task);
  /// Waits until no task is left.
  void wait();
  /// Whether no task is left.
  bool is_idle();
  /// For a task that can be left undone: whether others wait for its end, or behind it.
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

}  // namespace perdure
