// Finds threads that touch one page after the other.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "pager/page_states.hpp"

namespace perdure::pager::detail {

/// Remembers, for parts of the file, where the last touch there would go on. Forgetting or mixing up streams
/// costs a read-ahead that is shorter or for nothing, so nothing is locked. Async-signal-safe.
class stream_detector {
 public:
  /// How many pages to bring in for a touch of `page`, at most `most`: one, unless a stream got there.
  std::size_t window(page_number page, std::size_t most) const noexcept {
    if (most <= 1) return 1;
    const std::uint64_t seen = place_of(page).load(std::memory_order_relaxed);
    const page_number expected = static_cast<page_number>(seen >> 32);
    const auto last = static_cast<std::size_t>(seen & 0xffff'ffff);
    // Pages on the way may have been in memory already. What looks like a stream for the first time is often
    // chance, so it must be close, and little is read for it.
    if (last == 0 || page - expected >= (last > 2 ? 16 : 3)) return 1;
    return std::min(2 * last, most);
  }

  /// `count` pages from `page` are in memory now.
  void brought_in(page_number page, std::size_t count) noexcept {
    const page_number next = page + static_cast<page_number>(count);
    place_of(next).store(std::uint64_t{next} << 32 | count, std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned pages_of_part_log2 = 9;

  using place = std::atomic<std::uint64_t>;
  place& place_of(page_number page) noexcept {
    return places_[(page >> pages_of_part_log2) % places_.size()];
  }
  const place& place_of(page_number page) const noexcept {
    return places_[(page >> pages_of_part_log2) % places_.size()];
  }

  std::array<place, 256> places_{};
};

}  // namespace perdure::pager::detail
