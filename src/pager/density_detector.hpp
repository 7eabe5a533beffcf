// Finds parts of the file of which many pages are touched within a short time, in no order.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "pager/page_states.hpp"

namespace perdure::pager::detail {

/// Remembers in which aligned units of 64 KiB the last faults were. If threads mix units up, pages are
/// brought in for nothing, and nothing worse happens, so nothing is locked. Async-signal-safe.
class density_detector {
 public:
  static constexpr std::size_t pages_of_unit = 16;

  // Few enough places that two faults of uniform access seldom meet in a unit before it is forgotten.
  explicit density_detector(std::size_t pages) noexcept
      : mask_(std::bit_floor(std::clamp<std::size_t>(pages / pages_of_unit / 64, 1, most_places)) - 1) {}

  /// Returns the pages to read for a fault at `page`: the page, or the aligned 16 or 64 KiB around it.
  page_span find(page_number page) noexcept {
    const auto unit = static_cast<page_number>(page / pages_of_unit);
    std::atomic<std::uint64_t>& place = places_[unit & mask_];
    const std::uint64_t seen = place.load(std::memory_order_relaxed);
    const std::uint32_t before = seen >> 32 == unit ? static_cast<std::uint32_t>(seen) : 0;
    const std::uint32_t touches = std::min(before + 1, whole_unit);
    place.store(std::uint64_t{unit} << 32 | touches, std::memory_order_relaxed);
    const std::size_t count = touches == 1 ? 1 : touches == whole_unit ? pages_of_unit : pages_of_unit / 4;
    return {static_cast<page_number>(page / count * count), count};
  }

 private:
  static constexpr std::size_t most_places = 1024;
  static constexpr std::uint32_t whole_unit = 4;  // touches

  const std::size_t mask_;
  std::array<std::atomic<std::uint64_t>, most_places> places_{};
};

}  // namespace perdure::pager::detail
