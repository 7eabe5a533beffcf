// Places along a curve that fills a square.
#pragma once

#include <cstdint>
#include <utility>

namespace perdure::graph::detail {

/// Returns the place of a cell of a square of 2^32 by 2^32 cells along Hilbert's curve, whose successive
/// cells have a side in common (Hilbert, 1891).
constexpr std::uint64_t hilbert_place(std::uint32_t x, std::uint32_t y) noexcept {
  std::uint64_t place = 0;
  for (unsigned bit = 32; bit-- != 0;) {
    const std::uint32_t right = x >> bit & 1;
    const std::uint32_t up = y >> bit & 1;
    place = place << 2 | ((3 * right) ^ up);
    // The curve within a quarter is the whole one, turned and mirrored.
    if (up != 0) continue;
    if (right != 0) {
      x = ~x;
      y = ~y;
    }
    std::swap(x, y);
  }
  return place;
}

}  // namespace perdure::graph::detail
