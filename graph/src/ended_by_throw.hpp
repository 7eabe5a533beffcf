// Ends sources of edges.
#pragma once

#include <atomic>

namespace perdure::graph::detail {

/// Ends a source for every thread once a call of its `next` has thrown. Thread-safe.
class ended_by_throw {
 public:
  /// Returns what `next` returns, or false after a throw.
  template <class Next>
  bool guard(Next&& next) {
    if (has_thrown_.load(std::memory_order_relaxed)) return false;
    try {
      return next();
    } catch (...) {
      has_thrown_.store(true, std::memory_order_relaxed);
      throw;
    }
  }

 private:
  std::atomic<bool> has_thrown_{false};
};

}  // namespace perdure::graph::detail
