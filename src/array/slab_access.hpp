// Parts of arrays, and the elements in a program's memory that are given for them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <perdure/array/extents.hpp>
#include <string_view>

namespace perdure::detail {

/// Throws `invalid_argument` unless the part is inside the array and `given` has its shape.
void require_slab(std::string_view id, const extents& dims, const slab& where, const extents& given);

bool is_strided(const slab& where);

/// The steps that a slab makes along a dimension to elements in `[offset, offset + count)`, of
/// which it has some.
struct slab_steps {
  std::uint64_t first;
  std::uint64_t count;
  std::uint64_t stride;
};
inline slab_steps steps_inside(const slab& where, std::size_t dimension, std::uint64_t offset,
                               std::uint64_t count) {
  const std::uint64_t begin = where.offset[dimension];
  const std::uint64_t stride = where.stride.empty() ? 1 : where.stride[dimension];
  const std::uint64_t first = offset <= begin ? 0 : (offset - begin + stride - 1) / stride;
  const std::uint64_t end =
      std::min<std::uint64_t>(where.count[dimension], (offset + count - begin + stride - 1) / stride);
  return {first, end > first ? end - first : 0, stride};
}

/// The same elements with a stride for each dimension of the slab: dimensions of one element may be missing
/// in those that are given.
template <class Elements>
std::array<std::ptrdiff_t, max_rank> strides_for(const extents& count, const Elements& given) {
  std::array<std::ptrdiff_t, max_rank> strides{};
  std::size_t next = 0;
  for (std::size_t i = 0; i < count.rank(); ++i) {
    if (count[i] == 1) continue;
    while (given.dims[next] == 1) ++next;
    strides[i] = given.strides[next++];
  }
  return strides;
}

}  // namespace perdure::detail
