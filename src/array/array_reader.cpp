// Reads elements of arrays, and checks their blocks.
#include "array/array_reader.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <perdure/detail/index_order.hpp>

#include "array/array_geometry.hpp"
#include "array/array_name.hpp"
#include "array/array_shape.hpp"
#include "array/block_source.hpp"
#include "array/slab_access.hpp"
#include "os/crc32c.hpp"

namespace perdure::detail {

namespace {

/// Up to so many bytes of an array are copied with the lock held.
constexpr std::size_t small_bytes = std::size_t{64} << 10;

/// Returns whether a block has a part, which has dimensions, as bytes beside each other.
bool lies_beside_itself(const held_block& one, const slab& where) {
  if (one.block.codec != 0 || one.block.shuffled != 0 || where.count.rank() == 0) return false;
  if (!one.where.contains({where.offset, where.count})) return false;
  for (std::size_t i = 1; i < where.count.rank(); ++i)
    if (where.count[i] != one.where.count[i]) return false;
  return true;
}

}  // namespace

struct array_reader::held_array {
  array_shape of;
  std::vector<held_block> blocks;
  std::shared_ptr<void> hold;
  std::shared_lock<std::shared_mutex> lock;
};

// Of elements of one size.
array_reader::held_array array_reader::held(std::string_view id, const data_type& type,
                                            const std::function<box(const extents&)>& part) const {
  arrays_.require_open();
  held_array found;
  found.lock = std::shared_lock(arrays_.mutex());
  const stored_array& array = arrays_.require(id);
  found.of = shape_of(id, array);
  require_type(id, found.of.type, type);
  if (type.is_variable())
    throw error(errc::invalid_argument, quoted(id) + " has elements of any length, and is loaded as a whole");
  found.blocks = blocks_in(id, found.of, array, part(found.of.dims));
  std::size_t bytes = 0;
  for (const held_block& one : found.blocks) bytes += std::min<std::size_t>(one.block.bytes, small_bytes + 1);
  if (bytes > small_bytes) {
    found.hold = blocks_.hold();
    found.lock.unlock();
  }
  return found;
}

void array_reader::read(std::string_view id, const data_type& type, const slab& where,
                        const untyped_view& to) const {
  const held_array found = held(id, type, [&](const extents& dims) {
    require_slab(id, dims, where, to.dims);
    return around(where);
  });
  slabs_.read(id, found.of, found.blocks, where, to);
}

void array_reader::read_whole(std::string_view id, const data_type& type,
                              const std::function<untyped_view(const extents&)>& place) const {
  const held_array found = held(id, type, [](const extents& dims) { return around(slab::whole(dims)); });
  const slab whole = slab::whole(found.of.dims);
  const untyped_view to = place(found.of.dims);
  require_slab(id, found.of.dims, whole, to.dims);
  slabs_.read(id, found.of, found.blocks, whole, to);
}

std::uint64_t array_reader::read_held(std::string_view id, const slab& where, const untyped_view& to) const {
  arrays_.require_open();
  array_shape of;
  std::vector<held_block> held;
  std::shared_ptr<void> hold;
  {
    const std::shared_lock lock(arrays_.mutex());
    const stored_array* const array = arrays_.look_up(id);
    if (array == nullptr) return 0;
    of = shape_of(id, *array);
    held = blocks_in(id, of, *array, around(where));
    hold = blocks_.hold();
  }
  return slabs_.read_held(id, of, held, where, to);
}

variable_elements array_reader::read_variable(std::string_view id, const data_type& type) const {
  arrays_.require_open();
  stored_block block;
  std::uint64_t count = 0;
  std::shared_ptr<void> hold;
  {
    const std::shared_lock lock(arrays_.mutex());
    const stored_array& array = arrays_.require(id);
    const array_shape of = shape_of(id, array);
    require_type(id, of.type, type);
    count = of.dims.elements();
    if (array.blocks.size() > 1)
      throw error(errc::damaged, quoted(id) + ": it has more blocks than it can have");
    if (!array.blocks.empty()) block = array.blocks[0];
    hold = blocks_.hold();
  }
  variable_elements all;
  if (count == 0) return all;
  const std::size_t least = count > block.bytes / sizeof(std::uint64_t) ? 0 : count * sizeof(std::uint64_t);
  const bool is_plain = block.codec == 0;
  if (least == 0 || block.bytes > (is_plain ? block.stored_bytes : std::size_t{1} << 46))
    throw error(errc::damaged, quoted(id) + ": its elements are cut short");
  // A damaged size is refused before there is memory for it.
  static_cast<void>(blocks_.bytes_of(block, id));
  std::vector<std::byte> bytes(block.bytes);
  blocks_.read(block, bytes, 1, id);
  all.ends.resize(count);
  std::memcpy(all.ends.data(), bytes.data(), least);
  all.bytes.assign(reinterpret_cast<const char*>(bytes.data()) + least, bytes.size() - least);
  std::uint64_t before = 0;
  for (const std::uint64_t end : all.ends) {
    if (end < before || end > all.bytes.size())
      throw error(errc::damaged, quoted(id) + ": an element of it ends before it begins, or outside");
    before = end;
  }
  return all;
}

viewed_array array_reader::view(std::string_view id, const data_type& type, bool to_write,
                                std::shared_ptr<const void> owner) const {
  arrays_.require_open();
  if (to_write) arrays_.require_writable();
  viewed_array result;
  {
    const std::shared_lock lock(arrays_.mutex());
    const stored_array& array = arrays_.require(id);
    result.info = describe(id, array);
    require_type(id, result.info.type, type);
    if (!result.info.is_viewable)
      throw error(errc::unsupported, quoted(id) + " does not lie in one piece (" +
                                         std::to_string(result.info.blocks) + " blocks, compression " +
                                         std::string(to_string(result.info.codec)) +
                                         "): load it, or store it with array_layout::contiguous");
    if (to_write && result.info.layout != array_layout::contiguous)
      throw error(errc::unsupported, quoted(id) +
                                         " is not stored to be written in place: store it with "
                                         "array_layout::contiguous, or view it to read");
    if (!array.blocks.empty()) {
      const std::span<const std::byte> bytes = blocks_.bytes_of(array.blocks[0], id);
      if (bytes.size() < result.info.bytes)
        throw error(errc::damaged, quoted(id) + ": its block is cut short");
      result.data = const_cast<std::byte*>(bytes.data());
    }
    result.hold = held_with(std::move(owner));
  }
  if (result.data != nullptr) arrays_.store().store().require_sound(result.data, result.info.bytes);
  return result;
}

viewed_array array_reader::view_part(std::string_view id, const data_type& type, const slab& where,
                                     std::shared_ptr<const void> owner) const {
  arrays_.require_open();
  viewed_array result;
  std::size_t size = 0;
  {
    const std::shared_lock lock(arrays_.mutex());
    const stored_array& array = arrays_.require(id);
    const array_shape of = shape_of(id, array);
    require_type(id, of.type, type);
    result.info = describe(id, array);
    if (type.is_variable())
      throw error(errc::unsupported, quoted(id) + " has elements of any length: load it");
    require_slab(id, of.dims, where, where.count);
    if (is_strided(where))
      throw error(errc::unsupported, quoted(id) + " is viewed in parts without strides only: read it");
    size = bytes_of(where.count, type.size());
    if (size != 0) {
      const std::vector<held_block> blocks = blocks_in(id, of, array, around(where));
      if (blocks.size() != 1 || !lies_beside_itself(blocks.front(), where))
        throw error(errc::unsupported, quoted(id) + " has the part at " + place_text(where.offset) + " of " +
                                           shape_text(where.count) +
                                           " elements not in one piece, uncompressed: read it");
      const held_block& one = blocks.front();
      const std::span<const std::byte> bytes = blocks_.bytes_of(one.block, id);
      const std::size_t steps = where.offset[0] - one.where.offset[0];
      const std::size_t first = steps * (size / where.count[0]);
      if (first > bytes.size() || size > bytes.size() - first)
        throw error(errc::damaged, quoted(id) + ": a block of it is cut short");
      result.data = const_cast<std::byte*>(bytes.data()) + first;
    }
    result.hold = held_with(std::move(owner));
  }
  if (result.data != nullptr) arrays_.store().store().require_sound(result.data, size);
  return result;
}

array_hold array_reader::held_with(std::shared_ptr<const void> owner) const {
  struct both {
    std::shared_ptr<const void> owner;
    std::shared_ptr<void> hold;
  };
  return array_hold(std::make_shared<both>(both{std::move(owner), blocks_.hold()}));
}

void array_reader::prefetch(std::string_view id) const {
  arrays_.require_open();
  std::vector<stored_block> all;
  std::shared_ptr<void> hold;
  {
    const std::shared_lock lock(arrays_.mutex());
    const stored_array& array = arrays_.require(id);
    all.assign(array.blocks.begin(), array.blocks.end());
    hold = blocks_.hold();
  }
  for (const stored_block& block : all) {
    const std::span<const std::byte> bytes = blocks_.bytes_of(block, id);
    arrays_.store().store().prefetch(bytes.data(), bytes.size());
  }
}

std::vector<std::string> array_reader::check(std::string_view id) const {
  arrays_.require_open();
  std::vector<held_block> all;
  std::shared_ptr<void> hold;
  std::vector<std::string> wrong;
  try {
    const std::shared_lock lock(arrays_.mutex());
    const stored_array& array = arrays_.require(id);
    const array_shape of = shape_of(id, array);
    all = blocks_in(id, of, array, {extents::all(of.dims.rank(), 0), of.dims});
    hold = blocks_.hold();
  } catch (const error& failure) {
    if (failure.code() != errc::damaged) throw;
    return {failure.what()};
  }
  std::vector<std::byte> piece(gathered_bytes);
  for (const held_block& one : all) {
    if (one.block.unchecked != 0) continue;
    try {
      require_checksum(id, one, piece);
    } catch (const error& failure) {
      if (failure.code() != errc::damaged) throw;
      wrong.emplace_back(failure.what());
    }
  }
  return wrong;
}

void array_reader::require_checksum(std::string_view id, const held_block& one,
                                    std::span<std::byte> piece) const {
  std::span<const std::byte> bytes = blocks_.bytes_of(one.block, id);
  std::uint32_t checksum = 0;
  while (!bytes.empty()) {
    const std::size_t now = std::min(piece.size(), bytes.size());
    arrays_.store().store().copy_out({piece.data(), now}, bytes.data());
    checksum = os::crc32c(checksum, piece.data(), now);
    bytes = bytes.subspan(now);
  }
  if (checksum == one.block.checksum) return;
  throw error(errc::damaged,
              quoted(id) + ": the block at " + place_text(one.where.offset) + " contradicts its checksum");
}

}  // namespace perdure::detail
