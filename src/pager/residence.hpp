// How long a page may stay.
//
// Nothing tells which pages in memory are touched, only which are missed. But a page that is missed soon
// after it left is touched often, and the sooner the oftener. So the time of leaving is kept, counted in
// evictions, and who comes back soon may be passed over a few times when its turn to leave comes. On Zipf's
// law and binary search this misses a tenth less than exact LRU, and a fifth less than FIFO; finer clocks and
// more chances gained nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace perdure::pager::detail {

class residence_clock {
 public:
  /// `budget` in pages.
  explicit residence_clock(std::size_t budget) noexcept : quarter_(std::max<std::size_t>(budget / 4, 1)) {}

  void evicted(std::size_t pages) noexcept { evictions_.fetch_add(pages, std::memory_order_relaxed); }

  /// The time, to be kept with a page that leaves: which quarter of a budget is being evicted. 1 to 255, then
  /// 1 again; 0 is that of pages never seen.
  std::uint32_t now() const noexcept {
    return static_cast<std::uint32_t>(evictions_.load(std::memory_order_relaxed) / quarter_ % times) + 1;
  }

  /// How often a page that left then, and comes back now, may be passed over.
  std::uint32_t chances(std::uint32_t left) const noexcept {
    if (left == 0) return 0;
    const std::uint32_t quarters = (now() + times - left) % times;
    return quarters == 0 ? 3 : quarters == 1 ? 1 : 0;
  }

 private:
  static constexpr std::uint32_t times = 255;

  std::size_t quarter_;
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace perdure::pager::detail
