// The shape of an array: the type of its elements, its dimensions, and how it lies in blocks.
#pragma once

#include <cstddef>
#include <perdure/array/array_info.hpp>
#include <perdure/array/chunk_grid.hpp>
#include <perdure/array/extents.hpp>
#include <perdure/data_type.hpp>
#include <string_view>

#include "array/block_codec.hpp"
#include "array/stored_array.hpp"

namespace perdure::detail {

/// The shape of a stored array, in types of the program's memory.
struct array_shape {
  data_type type;
  extents dims;
  array_layout layout;
  encoding how;
  extents chunk;  ///< empty unless the layout has chunks
  bool may_overlap;

  chunk_grid grid() const { return {dims, chunk}; }
};

/// Returns the shape of a stored array. Throws `damaged` where what the store says of it contradicts itself.
array_shape shape_of(std::string_view id, const stored_array& array);
/// Returns what programs are told of it. Throws `damaged`.
array_info describe(std::string_view id, const stored_array& array);
/// Throws `wrong_type` if they differ.
void require_type(std::string_view id, const data_type& stored, const data_type& asked);

/// Returns the chunk's shape that is asked for, or chosen. `invalid_argument`.
extents chunk_for(const extents& dims, std::size_t element_size, const array_options& options);
/// `invalid_argument`, `unsupported`.
void require_options(const data_type& type, const extents& dims, const array_options& options);
/// Writes into `array`, which has no blocks, what it is. `std::bad_alloc`.
void init(stored_array& array, const data_type& type, const extents& dims, const array_options& options,
          const extents& chunk);

}  // namespace perdure::detail
