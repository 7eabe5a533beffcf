// Checks of a part of an array before any of it is read or written.
#include "array/slab_access.hpp"

#include <perdure/detail/index_order.hpp>
#include <string>

#include "array/array_name.hpp"

namespace perdure::detail {

void require_slab(std::string_view id, const extents& dims, const slab& where, const extents& given) {
  const std::size_t rank = dims.rank();
  if (where.offset.rank() != rank || where.count.rank() != rank ||
      (!where.stride.empty() && where.stride.rank() != rank))
    throw error(errc::invalid_argument, quoted(id) + " has " + std::to_string(rank) +
                                            " dimensions, and the part has " +
                                            std::to_string(where.count.rank()));
  for (std::size_t i = 0; i < rank; ++i) {
    const std::uint64_t stride = where.stride.empty() ? 1 : where.stride[i];
    if (where.count[i] == 0) continue;
    std::uint64_t last = 0;
    if (stride == 0 || __builtin_mul_overflow(where.count[i] - 1, stride, &last) ||
        __builtin_add_overflow(last, where.offset[i], &last) || last >= dims[i])
      throw error(errc::invalid_argument, "the part at " + place_text(where.offset) + " of " +
                                              shape_text(where.count) + " elements is not inside " +
                                              quoted(id) + " of " + shape_text(dims));
  }
  // Dimensions of one element may be left out on either side.
  const auto without_ones = [](const extents& of) {
    extents rest;
    for (const std::uint64_t n : of)
      if (n != 1) rest.push_back(n);
    return rest;
  };
  if (!(without_ones(given) == without_ones(where.count)))
    throw error(errc::invalid_argument, "elements of shape " + shape_text(given) +
                                            " are given for a part of " + quoted(id) + " of shape " +
                                            shape_text(where.count));
}

bool is_strided(const slab& where) {
  for (std::size_t i = 0; i < where.stride.rank(); ++i)
    if (where.stride[i] != 1 && where.count[i] > 1) return true;
  return false;
}

}  // namespace perdure::detail
