// Copies parts of arrays between memories that lay them out differently.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <perdure/array/extents.hpp>

namespace perdure::formats {

/// Bytes from an element to the next one along each dimension.
using region_strides = std::array<std::ptrdiff_t, max_rank>;

inline region_strides row_major(const extents& dims, std::size_t element_size) noexcept {
  region_strides strides{};
  auto stride = static_cast<std::ptrdiff_t>(element_size);
  for (std::size_t i = dims.rank(); i-- > 0; stride *= static_cast<std::ptrdiff_t>(dims[i]))
    strides[i] = stride;
  return strides;
}

/// `count` elements along each dimension from `dimension` on.
inline void copy_region(const extents& count, std::size_t element_size, std::byte* to,
                        const region_strides& to_strides, const std::byte* from,
                        const region_strides& from_strides, std::size_t dimension = 0) {
  if (dimension == count.rank()) {
    std::memcpy(to, from, element_size);
    return;
  }
  const bool is_run = dimension + 1 == count.rank() &&
                      to_strides[dimension] == static_cast<std::ptrdiff_t>(element_size) &&
                      from_strides[dimension] == static_cast<std::ptrdiff_t>(element_size);
  if (is_run) {
    std::memcpy(to, from, count[dimension] * element_size);
    return;
  }
  for (std::uint64_t i = 0; i < count[dimension]; ++i)
    copy_region(count, element_size, to + static_cast<std::ptrdiff_t>(i) * to_strides[dimension], to_strides,
                from + static_cast<std::ptrdiff_t>(i) * from_strides[dimension], from_strides, dimension + 1);
}

}  // namespace perdure::formats
