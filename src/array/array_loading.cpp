// Elements of arrays read, viewed and checked.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "array/region_copy.hpp"
#include "array/stored_arrays.hpp"
#include "os/crc32c.hpp"

namespace perdure::detail {

std::vector<stored_arrays::held_block> stored_arrays::blocks_in(std::string_view id, const shape& of,
                                                                const stored_array& array,
                                                                const box& where) const {
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
  if (of.layout == array_layout::chunked && array.blocks.size() > 64) {
    // Of many chunks only those in the part are looked at.
    std::uint64_t wanted = 1;
    extents first = extents::all(of.dims.rank(), 0);
    extents last = first;
    for (std::size_t i = 0; i < of.dims.rank(); ++i) {
      if (where.count[i] == 0) return held;
      first[i] = where.offset[i] / of.chunk[i];
      last[i] = (where.offset[i] + where.count[i] - 1) / of.chunk[i];
      wanted *= last[i] - first[i] + 1;
    }
    if (wanted < array.blocks.size()) {
      for (extents at = first;;) {
        extents offset = at;
        for (std::size_t i = 0; i < of.dims.rank(); ++i) offset[i] = at[i] * of.chunk[i];
        const auto found = array.chunks.find(chunk_number(of.dims, of.chunk, offset));
        if (found != array.chunks.end()) {
          if (found->second >= array.blocks.size())
            throw error(errc::damaged, quoted(id) + ": its grid names a block that it does not have");
          take(found->second);
        }
        std::size_t i = of.dims.rank();
        while (i-- > 0) {
          if (++at[i] <= last[i]) break;
          at[i] = first[i];
        }
        if (i == static_cast<std::size_t>(-1)) return held;
      }
    }
  }
  for (std::size_t i = 0; i < array.blocks.size(); ++i) take(i);
  return held;
}

void stored_arrays::read_slab(std::string_view id, const shape& of, std::span<const held_block> blocks,
                              const slab& where, const untyped_view& to, std::uint64_t* held) const {
  const std::size_t element = of.type.size();
  const std::size_t rank = of.dims.rank();
  const auto to_strides = strides_for(where.count, to);
  const box part = around(where);
  const bool strided = is_strided(where);
  const std::uint64_t wanted = where.count.elements();
  if (wanted == 0) return;
  std::uint64_t covered = 0;
  for (const held_block& one : blocks) covered += one.where.common_with(part).count.elements();
  // What no block holds is zero. Where blocks do not overlap their elements can be counted.
  const bool is_whole = !of.may_overlap && covered == part.count.elements();
  if (held == nullptr && !is_whole) fill_region(where.count, element, to.data, to_strides, std::byte{0});
  std::vector<std::byte> decoded;
  for (const held_block& one : blocks) {
    const box common = one.where.common_with(part);
    const bool is_plain = one.block.codec == 0 && one.block.shuffled == 0;
    const std::size_t bytes = bytes_of(one.where.count, element);
    // Straight into its place, where it is all of one block and lies in one piece.
    if (!strided && common.count == one.where.count && is_dense(common.count, to_strides, element)) {
      std::byte* into = to.data;
      for (std::size_t i = 0; i < rank; ++i)
        into += static_cast<std::ptrdiff_t>(common.offset[i] - where.offset[i]) * to_strides[i];
      blocks_.read(one.block, {into, bytes}, element, id);
      if (held != nullptr) *held += common.count.elements();
      continue;
    }
    const std::byte* from = nullptr;
    if (is_plain) {
      const std::span<const std::byte> all = blocks_.bytes_of(one.block, id);
      if (all.size() != bytes)
        throw error(errc::damaged, quoted(id) + ": a block of it has another size than its part");
      store_->store().require_sound(all.data(), all.size());
      from = all.data();
    } else {
      decoded.resize(bytes);
      blocks_.read(one.block, decoded, element, id);
      from = decoded.data();
    }
    const auto block_strides = row_major_strides(one.where.count, element);
    auto from_strides = block_strides;
    extents count = extents::all(rank, 0);
    std::byte* into = to.data;
    for (std::size_t i = 0; i < rank; ++i) {
      const slab_steps steps = steps_inside(where, i, common.offset[i], common.count[i]);
      count[i] = steps.count;
      if (count[i] == 0) break;
      from +=
          static_cast<std::ptrdiff_t>(where.offset[i] + steps.first * steps.stride - one.where.offset[i]) *
          block_strides[i];
      into += static_cast<std::ptrdiff_t>(steps.first) * to_strides[i];
      from_strides[i] = block_strides[i] * static_cast<std::ptrdiff_t>(steps.stride);
    }
    if (count.elements() == 0) continue;
    copy_region(count, element, into, to_strides, from, from_strides);
    if (held != nullptr) *held += count.elements();
  }
}

// Of elements of one size.
stored_arrays::held_array stored_arrays::held(std::string_view id, const data_type& type,
                                              const std::function<box(const extents&)>& part) const {
  require_open();
  held_array found;
  found.lock = std::shared_lock(mutex_);
  const stored_array& array = require(id);
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

void stored_arrays::read(std::string_view id, const data_type& type, const slab& where,
                         const untyped_view& to) const {
  const held_array found = held(id, type, [&](const extents& dims) {
    require_slab(id, dims, where, to.dims);
    return around(where);
  });
  read_slab(id, found.of, found.blocks, where, to, nullptr);
}

void stored_arrays::read_whole(std::string_view id, const data_type& type,
                               const std::function<untyped_view(const extents&)>& place) const {
  const held_array found = held(id, type, [](const extents& dims) { return around(slab::whole(dims)); });
  const slab whole = slab::whole(found.of.dims);
  const untyped_view to = place(found.of.dims);
  require_slab(id, found.of.dims, whole, to.dims);
  read_slab(id, found.of, found.blocks, whole, to, nullptr);
}

std::uint64_t stored_arrays::read_held(std::string_view id, const slab& where, const untyped_view& to) const {
  require_open();
  shape of;
  std::vector<held_block> held;
  std::shared_ptr<void> hold;
  {
    const std::shared_lock lock(mutex_);
    const stored_array* const array = look_up(id);
    if (array == nullptr) return 0;
    of = shape_of(id, *array);
    held = blocks_in(id, of, *array, around(where));
    hold = blocks_.hold();
  }
  std::uint64_t elements_held = 0;
  read_slab(id, of, held, where, to, &elements_held);
  return elements_held;
}

variable_elements stored_arrays::read_variable(std::string_view id, const data_type& type) const {
  require_open();
  stored_block block;
  std::uint64_t count = 0;
  std::shared_ptr<void> hold;
  {
    const std::shared_lock lock(mutex_);
    const stored_array& array = require(id);
    const shape of = shape_of(id, array);
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

viewed_array stored_arrays::view(std::string_view id, const data_type& type, bool to_write) const {
  require_open();
  if (to_write) require_writable();
  viewed_array result;
  {
    const std::shared_lock lock(mutex_);
    const stored_array& array = require(id);
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
    struct both {
      std::shared_ptr<const stored_arrays> arrays;
      std::shared_ptr<void> hold;
    };
    auto held = std::make_shared<both>();
    held->arrays = shared_from_this();
    held->hold = blocks_.hold();
    result.hold = array_hold(std::shared_ptr<void>(held, held.get()));
  }
  if (result.data != nullptr) store_->store().require_sound(result.data, result.info.bytes);
  return result;
}

void stored_arrays::prefetch(std::string_view id) const {
  require_open();
  std::vector<stored_block> all;
  std::shared_ptr<void> hold;
  {
    const std::shared_lock lock(mutex_);
    const stored_array& array = require(id);
    all.assign(array.blocks.begin(), array.blocks.end());
    hold = blocks_.hold();
  }
  for (const stored_block& block : all) {
    const std::span<const std::byte> bytes = blocks_.bytes_of(block, id);
    store_->store().prefetch(bytes.data(), bytes.size());
  }
}

std::vector<std::string> stored_arrays::check(std::string_view id) const {
  require_open();
  std::vector<held_block> all;
  std::shared_ptr<void> hold;
  std::vector<std::string> wrong;
  try {
    const std::shared_lock lock(mutex_);
    const stored_array& array = require(id);
    const shape of = shape_of(id, array);
    all = blocks_in(id, of, array, {extents::all(of.dims.rank(), 0), of.dims});
    hold = blocks_.hold();
  } catch (const error& failure) {
    if (failure.code() != errc::damaged) throw;
    return {failure.what()};
  }
  std::vector<std::byte> piece(gathered_bytes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const stored_block& block = all[i].block;
    if (block.unchecked != 0) continue;
    try {
      std::span<const std::byte> bytes = blocks_.bytes_of(block, id);
      std::uint32_t checksum = 0;
      while (!bytes.empty()) {
        const std::size_t now = std::min(piece.size(), bytes.size());
        store_->store().copy_out({piece.data(), now}, bytes.data());
        checksum = os::crc32c(checksum, piece.data(), now);
        bytes = bytes.subspan(now);
      }
      if (checksum != block.checksum)
        wrong.push_back(quoted(id) + ": the block at " + all[i].where.offset.text() +
                        " contradicts its checksum");
    } catch (const error& failure) {
      if (failure.code() != errc::damaged) throw;
      wrong.emplace_back(failure.what());
    }
  }
  return wrong;
}

}  // namespace perdure::detail
