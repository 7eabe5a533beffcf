// A thread that sees to it that an open store takes no more memory than it may.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace perdure::store {

/// Watches how much memory of the process no file backs; in a program with a large store most of that is
/// changed pages of the store. From three quarters of the budget on pages are given up, down to a half.
/// Memory that cannot be made less by giving up pages of the store belongs to other parts of the program, and
/// does not count from then on.
class memory_watch {
 public:
  /// Gives up some pages; the watch's thread calls it. Returns true when it has gone through the whole store
  /// since it last returned true. Must not throw.
  using relief = std::function<bool(const memory_watch&)>;

  memory_watch(std::uint64_t budget, relief relieve);
  memory_watch(const memory_watch&) = delete;
  memory_watch& operator=(const memory_watch&) = delete;
  /// Waits until a relief that is under way ends.
  ~memory_watch();

  /// Returns whether pages should be given up. This and the next take microseconds.
  bool is_wanted() const;
  /// Returns whether all of the budget is used, so that threads that take more must wait.
  bool is_exhausted() const;

 private:
  void watch();
  void relieve();

  std::uint64_t budget_;
  relief relieve_;
  std::atomic<std::uint64_t> of_others_{0};
  std::mutex mutex_;
  std::condition_variable ending_changed_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace perdure::store
