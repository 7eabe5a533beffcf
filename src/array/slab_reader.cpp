// Copies the elements of parts out of blocks, decompressed where they must be.
#include "array/slab_reader.hpp"

#include <perdure/error.hpp>

#include "array/array_name.hpp"
#include "array/region_copy.hpp"
#include "array/slab_access.hpp"

namespace perdure::detail {

void slab_reader::read(std::string_view id, const array_shape& of, std::span<const held_block> blocks,
                       const slab& where, const untyped_view& to) const {
  if (where.count.elements() == 0) return;
  const auto to_strides = strides_for(where.count, to);
  const box part = around(where);
  std::uint64_t covered = 0;
  for (const held_block& one : blocks) covered += one.where.common_with(part).count.elements();
  // What no block holds is zero. Where blocks do not overlap their elements can be counted.
  const bool is_whole = !of.may_overlap && covered == part.count.elements();
  if (!is_whole) fill_region(where.count, of.type.size(), to.data, to_strides, std::byte{0});
  read_held(id, of, blocks, where, to);
}

std::uint64_t slab_reader::read_held(std::string_view id, const array_shape& of,
                                     std::span<const held_block> blocks, const slab& where,
                                     const untyped_view& to) const {
  if (where.count.elements() == 0) return 0;
  const auto to_strides = strides_for(where.count, to);
  std::vector<std::byte> decoded;
  std::uint64_t copied = 0;
  for (const held_block& one : blocks) copied += copy_block(id, of, one, where, to, to_strides, decoded);
  return copied;
}

std::uint64_t slab_reader::copy_block(std::string_view id, const array_shape& of, const held_block& from,
                                      const slab& where, const untyped_view& to,
                                      std::span<const std::ptrdiff_t> to_strides,
                                      std::vector<std::byte>& decoded) const {
  const std::size_t element = of.type.size();
  const std::size_t rank = of.dims.rank();
  const box common = from.where.common_with(around(where));
  const std::size_t bytes = bytes_of(from.where.count, element);
  // Straight into its place, where it is all of one block and lies in one piece.
  if (!is_strided(where) && common.count == from.where.count && is_dense(common.count, to_strides, element)) {
    std::byte* into = to.data;
    for (std::size_t i = 0; i < rank; ++i)
      into += static_cast<std::ptrdiff_t>(common.offset[i] - where.offset[i]) * to_strides[i];
    blocks_.read(from.block, {into, bytes}, element, id);
    return common.count.elements();
  }
  const std::byte* source = nullptr;
  if (from.block.codec == 0 && from.block.shuffled == 0) {
    const std::span<const std::byte> all = blocks_.bytes_of(from.block, id);
    if (all.size() != bytes)
      throw error(errc::damaged, quoted(id) + ": a block of it has another size than its part");
    store_.store().require_sound(all.data(), all.size());
    source = all.data();
  } else {
    decoded.resize(bytes);
    blocks_.read(from.block, decoded, element, id);
    source = decoded.data();
  }
  const auto block_strides = row_major_strides(from.where.count, element);
  auto source_strides = block_strides;
  extents count = extents::all(rank, 0);
  std::byte* into = to.data;
  for (std::size_t i = 0; i < rank; ++i) {
    const slab_steps steps = steps_inside(where, i, common.offset[i], common.count[i]);
    count[i] = steps.count;
    if (count[i] == 0) return 0;
    source +=
        static_cast<std::ptrdiff_t>(where.offset[i] + steps.first * steps.stride - from.where.offset[i]) *
        block_strides[i];
    into += static_cast<std::ptrdiff_t>(steps.first) * to_strides[i];
    source_strides[i] = block_strides[i] * static_cast<std::ptrdiff_t>(steps.stride);
  }
  copy_region(count, element, into, to_strides, source, source_strides);
  return count.elements();
}

}  // namespace perdure::detail
