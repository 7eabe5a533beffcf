// A thread that runs one task at a time beside its owner.
#pragma once

#include <condition_variable>
#include <exception>
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
  /// Waits for the running task.
  ~background_worker();

  /// Starts a task; none may be running.
  void start(std::function<void()> task);
  /// Waits until no task runs; gives what the last one threw. Repeated calls give it again.
  std::exception_ptr wait();

 private:
  void loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;  // empty when idle
  std::exception_ptr failure_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace perdure
