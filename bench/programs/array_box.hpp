// Parts of three-dimensional arrays.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace perdure::bench {

using box_extent = std::array<std::size_t, 3>;

/// Elements of an array, and where they begin.
struct box {
  box_extent offset{};
  box_extent count{};
  std::size_t elements() const noexcept { return count[0] * count[1] * count[2]; }
};

/// One of `parts` of equal size along a dimension.
inline box part_of(const box_extent& dims, std::size_t dimension, std::size_t part, std::size_t parts) {
  box result{{0, 0, 0}, dims};
  result.offset[dimension] = dims[dimension] * part / parts;
  result.count[dimension] = dims[dimension] * (part + 1) / parts - result.offset[dimension];
  return result;
}

/// One of the blocks that a grid of `grid[0] * grid[1] * grid[2]` divides an array into.
inline box block_of(const box_extent& dims, const box_extent& grid, std::size_t block) {
  box result;
  for (std::size_t i = 3; i-- > 0; block /= grid[i]) {
    const std::size_t place = block % grid[i];
    result.offset[i] = dims[i] * place / grid[i];
    result.count[i] = dims[i] * (place + 1) / grid[i] - result.offset[i];
  }
  return result;
}

/// What two boxes have in common; of no elements where that is nothing.
inline box common_part(const box& a, const box& b) {
  box result;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t begin = std::max(a.offset[i], b.offset[i]);
    const std::size_t end = std::min(a.offset[i] + a.count[i], b.offset[i] + b.count[i]);
    if (begin >= end) return {};
    result.offset[i] = begin;
    result.count[i] = end - begin;
  }
  return result;
}

}  // namespace perdure::bench
