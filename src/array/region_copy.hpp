// Copies parts of arrays between places with different strides.
#pragma once

#include <cstddef>
#include <perdure/array/extents.hpp>
#include <span>

namespace perdure::detail {

/// Copies `count` elements along each dimension; strides are in bytes. Dimensions that lie beside each other
/// on both sides are copied in one go.
void copy_region(const extents& count, std::size_t element_size, std::byte* to,
                 std::span<const std::ptrdiff_t> to_strides, const std::byte* from,
                 std::span<const std::ptrdiff_t> from_strides);
/// The same element everywhere.
void fill_region(const extents& count, std::size_t element_size, std::byte* to,
                 std::span<const std::ptrdiff_t> to_strides, std::byte value);

/// Returns whether the elements lie beside each other, row-major.
bool is_dense(const extents& dims, std::span<const std::ptrdiff_t> strides,
              std::size_t element_size) noexcept;

}  // namespace perdure::detail
