// A thread that sees to it that an open store takes no more memory than it may.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace perdure {

/// Watches what memory the process holds that no file backs, most of which in a program with a large store is
/// changed pages of the store. Pages are given up from three quarters of the budget down to a half. What
/// cannot be made less by giving up pages of the store belongs to others and is not counted from then on.
class memory_watch {
 public:
  /// Gives up some pages; called by the watch's thread. True when the whole store has been gone through since
  /// the last time it said so. Must not throw.
  using relief = std::function<bool(const memory_watch&)>;

  memory_watch(std::uint64_t budget, relief relieve);
  memory_watch(const memory_watch&) = delete;
  memory_watch& operator=(const memory_watch&) = delete;
  /// Waits for a relief under way.
  ~memory_watch();

  /// Whether pages should be given up. These take microseconds.
  bool is_wanted() const;
  /// Whether all of the budget is used, so that whoever takes more must wait.
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

}  // namespace perdure
