// Whether a page that comes in to be read will be written to.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "pager/page_states.hpp"

namespace perdure::pager::detail {

/// Learns from pages that came in write-protected what became of them. Where nearly all were written to, it
/// is cheaper to let pages come in writable: that saves the fault of the first write, and costs that all of
/// them are written to disk. Mixing up a few changes nothing, so nothing is locked. First writes change it,
/// so it has a cache line of its own. Async-signal-safe.
class alignas(64) write_forecast {
 public:
  void written() noexcept { add(1); }
  void left_unchanged(std::size_t pages) noexcept {
    if (pages != 0) add(-3 * static_cast<int>(std::min<std::size_t>(pages, most)));
  }

  /// Some pages always come in protected, so that there is something to learn from.
  bool expects_write(page_number page) const noexcept {
    return score_.load(std::memory_order_relaxed) > 0 && page * 0x9e3779b1U >> 28 != 0;
  }

 private:
  static constexpr int most = 512;

  void add(int more) noexcept {
    score_.store(std::clamp(score_.load(std::memory_order_relaxed) + more, -most, most),
                 std::memory_order_relaxed);
  }

  std::atomic<int> score_{-most};
};

}  // namespace perdure::pager::detail
