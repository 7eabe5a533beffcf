// Parts of an array that lies in memory in one piece, row-major.
#pragma once

#include <cstddef>
#include <perdure/array/extents.hpp>

namespace perdure::python {

/// Copies a part of the elements at `from`, which have the shape `dims` and `size` bytes each, to `to`,
/// row-major.
void copy_part(const std::byte* from, const extents& dims, std::size_t size, const slab& part, std::byte* to);

}  // namespace perdure::python
