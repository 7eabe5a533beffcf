// The list of an array's blocks: found by their place, linked, and dropped.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "array/array_geometry.hpp"
#include "array/array_shape.hpp"
#include "array/block_maker.hpp"
#include "array/block_store.hpp"
#include "array/stored_array.hpp"

namespace perdure::detail {

struct held_block {
  box where;
  stored_block block;
};

// With the arrays locked:

/// Returns the blocks that have elements of a part. Throws `damaged`.
std::vector<held_block> blocks_in(std::string_view id, const array_shape& of, const stored_array& array,
                                  const box& where);

// Inside a write_guard too:

/// Gives the array blocks, in the place of older ones whose elements they have: all of them, or none if it
/// throws (`std::bad_alloc`, `damaged`).
void link_blocks(stored_array& array, std::span<const new_blocks::entry> made, block_store& blocks);
/// Cuts all blocks down to a box that begins at the first element. `cut` has, in the order of the array's
/// blocks, a block for each that loses some of its elements, and not all. Throws `std::bad_alloc`; then
/// nothing is changed.
void cut_blocks(stored_array& array, const extents& dims, std::span<const new_blocks::entry> cut,
                block_store& blocks);
/// Takes all blocks from the array. `block_store::reserve` has been called for them.
void drop_all_blocks(stored_array& array, block_store& blocks) noexcept;

}  // namespace perdure::detail
