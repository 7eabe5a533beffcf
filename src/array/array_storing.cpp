// Arrays stored whole, and made.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <perdure/detail/index_order.hpp>
#include <unordered_set>

#include "array/array_name.hpp"
#include "array/array_shape.hpp"
#include "array/array_writer.hpp"
#include "array/block_source.hpp"
#include "array/region_copy.hpp"
#include "array/slab_access.hpp"
#include "array/stored_arrays.hpp"
#include "os/crc32c.hpp"

namespace perdure {

bool is_array_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= detail::longest_id && name.front() != '/' && name.back() != '/' &&
         name.find("//") == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

}  // namespace perdure

namespace perdure::detail {

namespace {

/// Up to so many bytes of an array are copied with the lock held.
constexpr std::size_t most_copied_locked = std::size_t{64} << 10;

void require_id(std::string_view id) {
  if (!is_array_name(id))
    throw error(errc::invalid_argument,
                '"' + std::string(id.substr(0, 80)) +
                    "\" is no name of an array: take 1 to 4096 bytes, with single slashes "
                    "between names");
}

void require_fixed_size(const data_type& type) {
  if (type.is_variable())
    throw error(errc::invalid_argument, "arrays of elements of any length are stored as a whole");
}

box whole_box(const extents& dims) {
  return {extents::all(dims.rank(), 0), dims};
}

/// The elements of `part` among those of an array, or of a box that begins at `begin`.
const_untyped_view elements_of(const const_untyped_view& all, const slab& part, const extents& begin) {
  const_untyped_view some{all.data, part.count, all.strides};
  for (std::size_t i = 0; i < part.offset.rank(); ++i)
    some.data += static_cast<std::ptrdiff_t>(part.offset[i] - begin[i]) * all.strides[i];
  return some;
}

}  // namespace

void array_writer::require_may_replace(const wanted_array& wanted) const {
  const std::shared_lock lock(arrays_.mutex());
  arrays_.require_may_replace(wanted.id, wanted.type, wanted.options);
}

void array_writer::store_whole(std::string_view id, const data_type& type, const const_untyped_view& from,
                               const array_options& options) {
  arrays_.require_writable();
  require_id(id);
  require_options(type, from.dims, options);
  const std::size_t bytes = bytes_of(from.dims, type.size());
  const wanted_array wanted{id, type, from.dims, options, chunk_for(from.dims, type.size(), options)};
  const std::unique_lock writing(arrays_.writing_of(id));
  const bool is_one_block = options.layout != array_layout::chunked;
  if (is_one_block && bytes <= most_copied_locked && options.codec == compression::none)
    return store_small(wanted, from);
  require_may_replace(wanted);
  new_blocks made(maker_);
  if (bytes != 0 && is_one_block) {
    strided_source source(from, type.size());
    made.add(whole_box(from.dims), source, type.size(), wanted.how());
    made.all().back().block.unchecked = wanted.is_in_place() ? 1 : 0;
  } else if (bytes != 0) {
    const chunk_grid grid(from.dims, wanted.chunk);
    const extents begin = extents::all(from.dims.rank(), 0);
    grid.for_each_in(begin, from.dims, [&](const extents& place) {
      const slab part = grid.part_at(place);
      strided_source source(elements_of(from, part, begin), type.size());
      made.add({part.offset, part.count}, source, type.size(), wanted.how());
    });
  }
  made.link([&](std::span<const new_blocks::entry> all) { replace(wanted, all); });
}

// In one step, with the lock held.
void array_writer::store_small(const wanted_array& wanted, const const_untyped_view& from) {
  const std::size_t element = wanted.type.size();
  const std::size_t bytes = bytes_of(from.dims, element);
  const std::unique_lock lock(arrays_.mutex());
  arrays_.require_may_replace(wanted.id, wanted.type, wanted.options);
  const write_guard guard(arrays_.store().memory());
  blocks_.collect();
  if (bytes == 0) return replace(wanted, {});
  std::byte* const data = blocks_.allocate(bytes);
  copy_region(from.dims, element, data, row_major_strides(from.dims, element), from.data, from.strides);
  replace_by_block(wanted, data, bytes, os::crc32c(0, data, bytes));
}

// With the lock held, inside a guard. If it fails the block is given up.
void array_writer::replace_by_block(const wanted_array& wanted, std::byte* filled, std::size_t bytes,
                                    std::uint32_t checksum) {
  new_blocks::entry made{whole_box(wanted.dims), {}};
  made.block.data = filled;
  made.block.bytes = made.block.stored_bytes = bytes;
  made.block.checksum = checksum;
  made.block.unchecked = wanted.is_in_place() ? 1 : 0;
  try {
    replace(wanted, {&made, 1});
  } catch (...) {
    blocks_.give_up(filled);
    throw;
  }
}

void array_writer::store_from(std::string_view id, const data_type& type, const extents& dims,
                              const element_source& source, const array_options& options) {
  arrays_.require_writable();
  require_id(id);
  require_options(type, dims, options);
  require_fixed_size(type);
  const std::size_t bytes = bytes_of(dims, type.size());
  const wanted_array wanted{id, type, dims, options, chunk_for(dims, type.size(), options)};
  const std::unique_lock writing(arrays_.writing_of(id));
  require_may_replace(wanted);
  new_blocks made(maker_);
  if (bytes != 0 && options.layout != array_layout::chunked) {
    called_source called(dims, type.size(), source);
    made.add(whole_box(dims), called, type.size(), wanted.how());
    made.all().back().block.unchecked = wanted.is_in_place() ? 1 : 0;
  } else if (bytes != 0) {
    std::vector<std::byte> content;
    const chunk_grid grid(dims, wanted.chunk);
    grid.for_each_in(extents::all(dims.rank(), 0), dims, [&](const extents& place) {
      const slab part = grid.part_at(place);
      content.resize(bytes_of(part.count, type.size()));
      source(part, content.data());
      dense_source given(content);
      made.add({part.offset, part.count}, given, type.size(), wanted.how());
    });
  }
  made.link([&](std::span<const new_blocks::entry> all) { replace(wanted, all); });
}

void array_writer::store_sparse(std::string_view id, const data_type& type, const extents& dims,
                                std::span<const slab> parts, const element_source& source,
                                const array_options& options) {
  if (options.layout == array_layout::contiguous) return store_from(id, type, dims, source, options);
  array_options how = options;
  how.layout = array_layout::chunked;
  arrays_.require_writable();
  require_id(id);
  require_options(type, dims, how);
  require_fixed_size(type);
  static_cast<void>(bytes_of(dims, type.size()));
  const wanted_array wanted{id, type, dims, how, chunk_for(dims, type.size(), how)};
  const std::unique_lock writing(arrays_.writing_of(id));
  require_may_replace(wanted);
  new_blocks made(maker_);
  std::vector<std::byte> content;
  const chunk_grid grid(dims, wanted.chunk);
  std::unordered_set<std::uint64_t> known;
  for (const slab& one : parts) {
    require_slab(id, dims, one, one.count);
    grid.for_each_in(one.offset, one.count, [&](const extents& place) {
      if (!known.insert(grid.number_of(place)).second) return;
      const slab part = grid.part_at(place);
      content.resize(bytes_of(part.count, type.size()));
      source(part, content.data());
      dense_source given(content);
      made.add({part.offset, part.count}, given, type.size(), wanted.how());
    });
  }
  made.link([&](std::span<const new_blocks::entry> all) { replace(wanted, all); });
}

void array_writer::store_variable(std::string_view id, const data_type& type, const extents& dims,
                                  const variable_elements& from, const array_options& options) {
  arrays_.require_writable();
  require_id(id);
  require_options(type, dims, options);
  const std::uint64_t count = dims.elements();
  if (from.ends.size() != count)
    throw error(errc::invalid_argument,
                std::to_string(from.ends.size()) + " elements are given for an array of " + shape_text(dims));
  const wanted_array wanted{id, type, dims, options, {}};
  const std::unique_lock writing(arrays_.writing_of(id));
  require_may_replace(wanted);
  const std::size_t table = from.ends.size() * sizeof(std::uint64_t);
  std::vector<std::byte> bytes(table + from.bytes.size());
  if (table != 0) std::memcpy(bytes.data(), from.ends.data(), table);
  if (!from.bytes.empty()) std::memcpy(bytes.data() + table, from.bytes.data(), from.bytes.size());
  new_blocks made(maker_);
  if (!bytes.empty()) {
    dense_source source(bytes);
    made.add(whole_box(dims), source, 1, {options.codec, options.level, false});
  }
  made.link([&](std::span<const new_blocks::entry> all) { replace(wanted, all); });
}

void array_writer::create(std::string_view id, const data_type& type, const extents& dims,
                          const array_options& options) {
  arrays_.require_writable();
  require_id(id);
  require_options(type, dims, options);
  require_fixed_size(type);
  const std::size_t bytes = bytes_of(dims, type.size());
  const wanted_array wanted{id, type, dims, options, chunk_for(dims, type.size(), options)};
  const std::unique_lock writing(arrays_.writing_of(id));
  const std::unique_lock lock(arrays_.mutex());
  if (const stored_array* const before = arrays_.look_up(id)) {
    const array_shape of = shape_of(id, *before);
    if (!options.replaces_any || (of.type == type && of.dims == dims))
      throw error(errc::already_exists, quoted(id) + " exists: erase it first, or store over it");
  }
  const write_guard guard(arrays_.store().memory());
  blocks_.collect();
  if (!wanted.is_in_place() || bytes == 0) return replace(wanted, {});
  std::byte* const data = blocks_.allocate(bytes);
  // New pages are zero as they are, but memory that was in use before is not.
  std::memset(data, 0, bytes);
  replace_by_block(wanted, data, bytes, 0);
}

// Puts the blocks in the place of those of the array of that id, or makes a new one. If it fails all is as
// before. With the lock held, inside a guard.
void array_writer::replace(const wanted_array& wanted, std::span<const new_blocks::entry> made) {
  array_catalogue& catalogue = *arrays_.catalogue();
  const bool is_new = arrays_.look_up(wanted.id) == nullptr;
  // No array has the empty name.
  const auto entry = catalogue.arrays.try_emplace(perdure::string(is_new ? wanted.id : "")).first;
  stored_array& array = entry->second;
  try {
    init(array, wanted.type, wanted.dims, wanted.options, wanted.chunk);
    link_blocks(array, made, blocks_);
    if (is_new) return;
    blocks_.reserve(arrays_.look_up(wanted.id)->blocks.size());
  } catch (...) {
    catalogue.arrays.erase(entry);
    throw;
  }
  stored_array& before = *arrays_.look_up(wanted.id);
  if (before.type == array.type) {
    before.exchange_all_but_attributes(array);
  } else {
    // What was said of the other array is not said of this one.
    before.exchange_all(array);
  }
  drop_all_blocks(array, blocks_);
  catalogue.arrays.erase(entry);
}

}  // namespace perdure::detail
