// Parts of arrays written; arrays that grow, shrink and go.
#include <algorithm>
#include <mutex>
#include <perdure/detail/index_order.hpp>

#include "array/array_name.hpp"
#include "array/array_shape.hpp"
#include "array/array_writer.hpp"
#include "array/block_source.hpp"
#include "array/region_copy.hpp"
#include "array/slab_access.hpp"

namespace perdure::detail {

namespace {

// Whether there may be blocks of which a part is written and the rest is as it was: of two threads that make
// such a block anew one would lose what the other has written.
bool keeps_parts_of_blocks(const array_shape& of, const slab& where) {
  if (of.layout == array_layout::contiguous) return false;  // written in place
  if (is_strided(where)) return true;
  if (of.layout != array_layout::chunked) return false;
  for (std::size_t i = 0; i < of.dims.rank(); ++i) {
    const std::uint64_t end = where.offset[i] + where.count[i];
    if (where.offset[i] % of.chunk[i] != 0 || (end % of.chunk[i] != 0 && end != of.dims[i])) return true;
  }
  return false;
}

}  // namespace

array_shape array_writer::shape_of_stored(std::string_view id) const {
  const std::shared_lock lock(arrays_.mutex());
  return shape_of(id, std::as_const(arrays_).require(id));
}

void array_writer::write(std::string_view id, const data_type& type, const slab& where,
                         const const_untyped_view& from) {
  arrays_.require_writable();
  const auto require_fit = [&] {
    array_shape of = shape_of_stored(id);
    require_type(id, of.type, type);
    if (type.is_variable())
      throw error(errc::invalid_argument,
                  quoted(id) + " has elements of any length, and is stored as a whole");
    require_slab(id, of.dims, where, from.dims);
    return of;
  };
  {
    const std::shared_lock together(arrays_.writing_of(id));
    const array_shape of = require_fit();
    if (where.count.elements() == 0) return;
    if (!keeps_parts_of_blocks(of, where)) return write_parts(id, of, where, from, of.dims);
  }
  const std::unique_lock alone(arrays_.writing_of(id));
  const array_shape of = require_fit();
  write_parts(id, of, where, from, of.dims);
}

// `writing_of(id)` is held. The array has the dimensions `before`, and those of `of` once the part is
// written.
void array_writer::write_parts(std::string_view id, const array_shape& of, const slab& where,
                               const const_untyped_view& from, const extents& before) {
  if (of.layout == array_layout::contiguous) return write_in_place(id, of, where, from);
  new_blocks made(maker_);
  const box part = around(where);
  if (of.layout == array_layout::chunked) {
    const chunk_grid grid = of.grid();
    grid.for_each_in(part.offset, part.count, [&](const extents& place) {
      const slab chunk = grid.part_at(place);
      make_part(id, of, {chunk.offset, chunk.count}, where, from, made);
    });
  } else {
    make_part(id, of, part, where, from, made);
  }
  made.link([&](std::span<const new_blocks::entry> all) {
    stored_array& array = arrays_.require(id);
    assign(array.dims, of.dims);
    try {
      link_blocks(array, all, blocks_);
    } catch (...) {
      assign(array.dims, before);
      throw;
    }
  });
}

// Of a contiguous array.
void array_writer::write_in_place(std::string_view id, const array_shape& of, const slab& where,
                                  const const_untyped_view& from) {
  const std::size_t element = of.type.size();
  const std::size_t rank = of.dims.rank();
  const auto from_strides = strides_for(where.count, from);
  stored_block block;
  {
    const std::shared_lock lock(arrays_.mutex());
    const std::vector<held_block> held =
        blocks_in(id, of, arrays_.require(id), {extents::all(rank, 0), of.dims});
    const bool is_sound = held.size() == 1 && held[0].where.count == of.dims && held[0].block.codec == 0 &&
                          held[0].block.stored_bytes == held[0].block.bytes;
    if (!is_sound) throw error(errc::damaged, quoted(id) + ": it is contiguous, and its block is another's");
    block = held[0].block;
  }
  std::byte* const data = const_cast<std::byte*>(blocks_.bytes_of(block, id).data());
  const auto strides = row_major_strides(of.dims, element);
  auto to_strides = strides;
  std::byte* to = data;
  for (std::size_t i = 0; i < rank; ++i) {
    to += static_cast<std::ptrdiff_t>(where.offset[i]) * strides[i];
    to_strides[i] = strides[i] * static_cast<std::ptrdiff_t>(where.stride.empty() ? 1 : where.stride[i]);
  }
  const std::size_t bytes = bytes_of(where.count, element);
  const bool is_whole = where.count == of.dims && is_dense(where.count, from_strides, element);
  if (is_whole) return static_cast<void>(blocks_.fill(data, {from.data, bytes}));
  const write_guard guard(arrays_.store().memory());
  copy_region(where.count, element, to, to_strides, from.data, from_strides);
}

// Adds a block for the box `one`, of which some elements are written, unless none are.
void array_writer::make_part(std::string_view id, const array_shape& of, const box& one, const slab& where,
                             const const_untyped_view& from, new_blocks& made) {
  const std::size_t element = of.type.size();
  const std::size_t rank = of.dims.rank();
  const auto from_strides = strides_for(where.count, from);
  const box part = around(where);
  if (!is_strided(where) && part.contains(one)) {
    // All of it is given.
    const_untyped_view given{from.data, one.count, from_strides};
    for (std::size_t i = 0; i < rank; ++i)
      given.data += static_cast<std::ptrdiff_t>(one.offset[i] - part.offset[i]) * from_strides[i];
    strided_source source(given, element);
    return made.add(one, source, element, of.how);
  }
  // What it held before, and what is given over it.
  std::vector<std::byte> bytes(bytes_of(one.count, element));
  const untyped_view whole = untyped_view::row_major(bytes.data(), one.count, element);
  std::vector<held_block> held;
  {
    const std::shared_lock lock(arrays_.mutex());
    held = blocks_in(id, of, arrays_.require(id), one);
  }
  slabs_.read(id, of, held, {one.offset, one.count, {}}, whole);
  const box common = part.common_with(one);
  extents count = extents::all(rank, 0);
  std::byte* to = bytes.data();
  const std::byte* source = from.data;
  auto to_strides = whole.strides;
  for (std::size_t i = 0; i < rank; ++i) {
    const slab_steps steps = steps_inside(where, i, common.offset[i], common.count[i]);
    if (steps.count == 0) return;
    count[i] = steps.count;
    to += static_cast<std::ptrdiff_t>(where.offset[i] + steps.first * steps.stride - one.offset[i]) *
          whole.strides[i];
    source += static_cast<std::ptrdiff_t>(steps.first) * from_strides[i];
    to_strides[i] = whole.strides[i] * static_cast<std::ptrdiff_t>(steps.stride);
  }
  copy_region(count, element, to, to_strides, source, from_strides);
  dense_source changed(bytes);
  made.add(one, changed, element, of.how);
}

void array_writer::append(std::string_view id, const data_type& type, const const_untyped_view& from) {
  arrays_.require_writable();
  const std::unique_lock writing(arrays_.writing_of(id));
  array_shape of = shape_of_stored(id);
  require_type(id, of.type, type);
  if (of.dims.empty())
    throw error(errc::invalid_argument, quoted(id) + " is a single element: nothing can be appended");
  // One step less than the array has dimensions is one step.
  const_untyped_view steps = from;
  if (from.dims.rank() + 1 == of.dims.rank()) {
    steps.dims = extents{1};
    for (const std::uint64_t n : from.dims) steps.dims.push_back(n);
    std::copy_n(from.strides.begin(), from.dims.rank(), steps.strides.begin() + 1);
    steps.strides[0] = 0;
  }
  extents dims = of.dims;
  bool fits = steps.dims.rank() == dims.rank();
  for (std::size_t i = 1; fits && i < dims.rank(); ++i) fits = steps.dims[i] == dims[i];
  if (!fits)
    throw error(errc::invalid_argument, "elements of shape " + shape_text(from.dims) +
                                            " cannot be appended to " + quoted(id) + " of shape " +
                                            shape_text(of.dims));
  slab where{extents::all(dims.rank(), 0), steps.dims, {}};
  where.offset[0] = dims[0];
  if (__builtin_add_overflow(dims[0], steps.dims[0], &dims[0]))
    throw error(errc::invalid_argument, quoted(id) + " would be longer than it can be");
  bytes_of(dims, type.size());
  if (of.layout == array_layout::contiguous)
    throw error(errc::unsupported,
                quoted(id) + " is contiguous and cannot grow: store it in blocks or chunks");
  // The grid's numbers count the outermost dimension last, so that chunks keep theirs.
  const extents before = of.dims;
  of.dims = dims;
  if (steps.dims.elements() != 0) return write_parts(id, of, where, steps, before);
  const std::unique_lock lock(arrays_.mutex());
  const write_guard guard(arrays_.store().memory());
  assign(arrays_.require(id).dims, dims);
}

void array_writer::resize(std::string_view id, const extents& dims) {
  arrays_.require_writable();
  const std::unique_lock writing(arrays_.writing_of(id));
  const array_shape of = shape_of_stored(id);
  if (dims.rank() != of.dims.rank())
    throw error(errc::invalid_argument, quoted(id) + " has " + std::to_string(of.dims.rank()) +
                                            " dimensions, and cannot be made one of " + shape_text(dims));
  bytes_of(dims, of.type.size());
  if (dims == of.dims) return;
  if (of.type.is_variable() || of.layout == array_layout::contiguous)
    throw error(
        errc::unsupported,
        quoted(id) + " cannot be resized: only arrays in blocks or chunks can, of elements of one length");
  // Blocks that are cut are made anew, lest their rest come back when the array grows again.
  const box inside{extents::all(dims.rank(), 0), dims};
  const std::size_t element = of.type.size();
  std::vector<held_block> held;
  {
    const std::shared_lock lock(arrays_.mutex());
    held = blocks_in(id, of, arrays_.require(id), {extents::all(dims.rank(), 0), of.dims});
  }
  new_blocks cut(maker_);
  for (const held_block& one : held) {
    const box rest = one.where.common_with(inside);
    if (rest.empty() || rest.count == one.where.count) continue;
    std::vector<std::byte> bytes(bytes_of(rest.count, element));
    slabs_.read(id, of, std::span(&one, 1), {rest.offset, rest.count, {}},
                untyped_view::row_major(bytes.data(), rest.count, element));
    dense_source source(bytes);
    cut.add(rest, source, element, of.how);
  }
  cut.link(
      [&](std::span<const new_blocks::entry> all) { cut_blocks(arrays_.require(id), dims, all, blocks_); });
}

bool array_writer::erase(std::string_view id) {
  arrays_.require_writable();
  const std::unique_lock writing(arrays_.writing_of(id));
  const std::unique_lock lock(arrays_.mutex());
  array_catalogue& catalogue = *arrays_.catalogue();
  const auto found = catalogue.arrays.find(id);
  if (found == catalogue.arrays.end()) return false;
  const write_guard guard(arrays_.store().memory());
  blocks_.reserve(found->second.blocks.size());
  drop_all_blocks(found->second, blocks_);
  catalogue.arrays.erase(found);
  blocks_.collect();
  return true;
}

}  // namespace perdure::detail
