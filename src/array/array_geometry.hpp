// Boxes of elements, and where elements lie in them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <perdure/array/extents.hpp>
#include <perdure/detail/index_order.hpp>
#include <perdure/error.hpp>
#include <string>

#include "array/stored_array.hpp"

namespace perdure::detail {

inline extents to_extents(const perdure::vector<std::uint64_t>& numbers) {
  return extents(std::span(numbers.data(), numbers.size()));
}

template <class Numbers>
void assign(perdure::vector<std::uint64_t>& to, const Numbers& numbers) {
  to.assign(numbers.begin(), numbers.end());
}

inline std::array<std::ptrdiff_t, max_rank> row_major_strides(const extents& dims, std::size_t element_size) {
  std::array<std::ptrdiff_t, max_rank> strides{};
  // Unsigned, as dimensions that are refused afterwards may be too many for any number.
  std::uint64_t stride = element_size;
  for (std::size_t i = dims.rank(); i-- > 0;) {
    strides[i] = static_cast<std::ptrdiff_t>(stride);
    stride *= std::max<std::uint64_t>(dims[i], 1);
  }
  return strides;
}

/// Bytes of so many elements. `invalid_argument` where it is no number.
inline std::size_t bytes_of(const extents& dims, std::size_t element_size) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(dims.elements(), element_size, &bytes) ||
      bytes > static_cast<std::uint64_t>(PTRDIFF_MAX))
    throw error(errc::invalid_argument, "an array of " + shape_text(dims) + " elements of " +
                                            std::to_string(element_size) +
                                            " bytes is larger than memory can be");
  return bytes;
}

struct box {
  extents offset;
  extents count;

  bool empty() const noexcept {
    return std::any_of(count.begin(), count.end(), [](std::uint64_t n) { return n == 0; });
  }
  bool contains(const box& other) const noexcept {
    for (std::size_t i = 0; i < offset.rank(); ++i)
      if (other.offset[i] < offset[i] || other.offset[i] + other.count[i] > offset[i] + count[i])
        return false;
    return true;
  }
  box common_with(const box& other) const {
    box result{offset, count};
    for (std::size_t i = 0; i < offset.rank(); ++i) {
      const std::uint64_t begin = std::max(offset[i], other.offset[i]);
      const std::uint64_t end = std::min(offset[i] + count[i], other.offset[i] + other.count[i]);
      result.offset[i] = begin;
      result.count[i] = end > begin ? end - begin : 0;
    }
    return result;
  }
};

inline box block_box(const stored_array& array, std::size_t block) {
  const std::size_t rank = array.dims.size();
  const std::uint64_t* const at = array.boxes.data() + block * 2 * rank;
  return {extents(std::span(at, rank)), extents(std::span(at + rank, rank))};
}

/// The smallest box with all of a slab.
inline box around(const slab& where) {
  box result{where.offset, where.count};
  if (where.stride.empty()) return result;
  for (std::size_t i = 0; i < where.count.rank(); ++i)
    result.count[i] = where.count[i] == 0 ? 0 : (where.count[i] - 1) * where.stride[i] + 1;
  return result;
}

}  // namespace perdure::detail
