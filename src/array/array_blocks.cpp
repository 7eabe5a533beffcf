// Finds, links and drops the blocks of one array.
#include "array/array_blocks.hpp"

#include <algorithm>
#include <memory>
#include <perdure/error.hpp>

#include "array/array_name.hpp"
#include "base/invariant.hpp"

namespace perdure::detail {

namespace {

// Arrays of fewer chunks are looked at one by one.
constexpr std::size_t few_chunks = 64;

/// Room for so many more, as `push_back` would make it.
template <class T>
void make_room(perdure::vector<T>& of, std::size_t more) {
  if (of.size() > of.capacity())
    throw error(errc::damaged, "an array's list of blocks is longer than the memory that it has");
  if (of.capacity() - of.size() < more) of.reserve(std::max(of.size() + more, 2 * of.capacity()));
}

bool is_chunked(const stored_array& array) {
  return static_cast<array_layout>(array.layout) == array_layout::chunked;
}

chunk_grid grid_of(const stored_array& array) {
  return {to_extents(array.dims), to_extents(array.chunk)};
}

std::uint64_t number_at(const chunk_grid& grid, const box& where) {
  return grid.number_of(grid.place_of(where.offset));
}

// A chunk at the edge becomes larger when the array grows, and smaller when it shrinks.
void set_count(stored_array& array, std::size_t block, const extents& count) noexcept {
  std::copy(count.begin(), count.end(),
            array.boxes.begin() + static_cast<std::ptrdiff_t>((2 * block + 1) * array.dims.size()));
}

void exchange_block(stored_array& array, std::size_t block, const new_blocks::entry& by,
                    block_store& blocks) noexcept {
  blocks.retire(array.blocks[block]);
  array.blocks[block] = by.block;
  set_count(array, block, by.where.count);
  blocks.link(std::to_address(by.block.data));
}

void add_block(stored_array& array, const new_blocks::entry& one, block_store& blocks) noexcept {
  PERDURE_INVARIANT(array.blocks.size() < array.blocks.capacity());
  PERDURE_INVARIANT(array.boxes.capacity() - array.boxes.size() >= 2 * array.dims.size());
  array.blocks.push_back(one.block);
  array.boxes.insert(array.boxes.end(), one.where.offset.begin(), one.where.offset.end());
  array.boxes.insert(array.boxes.end(), one.where.count.begin(), one.where.count.end());
  blocks.link(std::to_address(one.block.data));
}

// `block_store::reserve` has been called for it.
void drop_block(stored_array& array, std::size_t block, block_store& blocks) noexcept {
  blocks.retire(array.blocks[block]);
  const std::size_t rank = array.dims.size();
  array.blocks.erase(array.blocks.begin() + static_cast<std::ptrdiff_t>(block));
  const auto at = array.boxes.begin() + static_cast<std::ptrdiff_t>(block * 2 * rank);
  array.boxes.erase(at, at + static_cast<std::ptrdiff_t>(2 * rank));
}

void link_chunk(stored_array& array, const chunk_grid& grid, const new_blocks::entry& one,
                block_store& blocks) {
  const auto [entry, is_new] =
      array.chunks.try_emplace(number_at(grid, one.where), static_cast<std::uint32_t>(array.blocks.size()));
  if (is_new) return add_block(array, one, blocks);
  exchange_block(array, entry->second, one, blocks);
}

// Drops the blocks that it hides.
void link_part(stored_array& array, const new_blocks::entry& one, block_store& blocks) {
  for (std::size_t i = array.blocks.size(); i-- > 0;) {
    const box other = block_box(array, i);
    if (one.where.contains(other)) {
      drop_block(array, i, blocks);
    } else if (!one.where.common_with(other).empty()) {
      array.may_overlap = 1;
    }
  }
  add_block(array, one, blocks);
}

}  // namespace

std::vector<held_block> blocks_in(std::string_view id, const array_shape& of, const stored_array& array,
                                  const box& where) {
  std::vector<held_block> held;
  const auto take = [&](std::size_t i) {
    box one = block_box(array, i);
    // A damaged box must not lead out of the block.
    for (std::size_t d = 0; d < of.dims.rank(); ++d)
      if (one.offset[d] > of.dims[d] || one.count[d] > of.dims[d] - one.offset[d])
        throw error(errc::damaged, quoted(id) + ": a block of it is not inside the array");
    if (!of.type.is_variable() && bytes_of(one.count, of.type.size()) != array.blocks[i].bytes)
      throw error(errc::damaged, quoted(id) + ": a block of it has another size than its part");
    if (!one.common_with(where).empty() || of.dims.rank() == 0) held.push_back({one, array.blocks[i]});
  };
  if (of.layout == array_layout::chunked && array.blocks.size() > few_chunks) {
    const chunk_grid grid = of.grid();
    if (grid.count_in(where.offset, where.count) < array.blocks.size()) {
      grid.for_each_in(where.offset, where.count, [&](const extents& place) {
        const auto found = array.chunks.find(grid.number_of(place));
        if (found == array.chunks.end()) return;
        if (found->second >= array.blocks.size())
          throw error(errc::damaged, quoted(id) + ": its grid names a block that it does not have");
        take(found->second);
      });
      return held;
    }
  }
  for (std::size_t i = 0; i < array.blocks.size(); ++i) take(i);
  return held;
}

void link_blocks(stored_array& array, std::span<const new_blocks::entry> made, block_store& blocks) {
  const std::size_t rank = array.dims.size();
  blocks.reserve(is_chunked(array) ? made.size() : array.blocks.size() + made.size());
  make_room(array.boxes, 2 * rank * made.size());
  make_room(array.blocks, made.size());
  if (!is_chunked(array)) {
    // From here on nothing fails.
    for (const new_blocks::entry& one : made) link_part(array, one, blocks);
    return;
  }
  array.chunks.reserve(array.chunks.size() + made.size());
  const chunk_grid grid = grid_of(array);
  for (const new_blocks::entry& one : made) {
    const auto known = array.chunks.find(number_at(grid, one.where));
    if (known != array.chunks.end() && known->second >= array.blocks.size())
      throw error(errc::damaged, "an array's grid names a block that it does not have");
  }
  // From here on nothing fails.
  for (const new_blocks::entry& one : made) link_chunk(array, grid, one, blocks);
}

void cut_blocks(stored_array& array, const extents& dims, std::span<const new_blocks::entry> cut,
                block_store& blocks) {
  const box inside{extents::all(dims.rank(), 0), dims};
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < array.blocks.size(); ++i) {
    const box before = block_box(array, i);
    const box rest = before.common_with(inside);
    if (rest.empty() || rest.count == before.count) continue;
    if (wanted == cut.size() || !(cut[wanted++].where.offset == rest.offset))
      throw error(errc::damaged, "an array's blocks are not those that its grid names");
  }
  if (wanted != cut.size()) throw error(errc::damaged, "an array's blocks are not those that its grid names");
  blocks.reserve(array.blocks.size());
  // From here on nothing fails: there are no more blocks than before, nor numbers in the grid.
  std::size_t next = 0;
  for (std::size_t i = 0; i < array.blocks.size();) {
    const box before = block_box(array, i);
    const box rest = before.common_with(inside);
    if (rest.empty()) {
      drop_block(array, i, blocks);
      continue;
    }
    if (!(rest.count == before.count)) {
      PERDURE_INVARIANT(next < cut.size());
      exchange_block(array, i, cut[next++], blocks);
    }
    ++i;
  }
  PERDURE_INVARIANT(next == cut.size());
  assign(array.dims, dims);
  if (!is_chunked(array)) return;
  const chunk_grid grid = grid_of(array);
  array.chunks.clear();
  for (std::size_t i = 0; i < array.blocks.size(); ++i)
    array.chunks.try_emplace(number_at(grid, block_box(array, i)), static_cast<std::uint32_t>(i));
}

void drop_all_blocks(stored_array& array, block_store& blocks) noexcept {
  for (const stored_block& block : array.blocks) blocks.retire(block);
  array.blocks.clear();
  array.boxes.clear();
  array.chunks.clear();
}

}  // namespace perdure::detail
