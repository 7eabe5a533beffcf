// Blocks of arrays: made, and given to an array in the place of others.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "array/region_copy.hpp"
#include "array/stored_arrays.hpp"

namespace perdure::detail {

namespace {

/// Room for so many more, as `push_back` would make it.
template <class T>
void make_room(perdure::vector<T>& of, std::size_t more) {
  if (of.capacity() - of.size() < more) of.reserve(std::max(of.size() + more, 2 * of.capacity()));
}

}  // namespace

// `gather(to, first, bytes)` gives some of the bytes, one piece after the other, each of `next_piece()` bytes
// if that is given; `dense` all of them where they lie beside each other.
stored_block stored_arrays::filled_block(
    std::size_t bytes, std::size_t element_size, const encoding& how,
    const std::function<void(std::byte*, std::size_t, std::size_t)>& gather, const std::byte* dense,
    const std::function<std::size_t()>& next_piece) {
  stored_block made;
  made.bytes = bytes;
  std::vector<std::byte> gathered;
  std::span<const std::byte> content{dense, bytes};
  if (how.codec != compression::none) {
    if (dense == nullptr) {
      gathered.resize(bytes);
      gather(gathered.data(), 0, bytes);
      content = gathered;
    }
    gathered = encode(content, element_size, how);
    // What does not become smaller is stored as it is.
    if (gathered.size() < bytes || dense == nullptr) {
      content = gathered;
      made.codec = static_cast<std::uint8_t>(how.codec);
      made.shuffled = how.shuffle && element_size > 1 ? 1 : 0;
    }
  }
  made.stored_bytes = content.data() != nullptr ? content.size() : bytes;
  {
    const std::unique_lock lock(mutex_);
    const write_guard guard(store_->memory());
    blocks_.collect();
    made.data = blocks_.allocate(made.stored_bytes);
  }
  std::byte* const data = std::to_address(made.data);
  try {
    if (content.data() != nullptr) {
      made.checksum = blocks_.fill(data, content);
    } else {
      std::vector<std::byte> piece(std::min(bytes, gathered_bytes));
      for (std::size_t done = 0; done < bytes;) {
        const std::size_t now = next_piece ? next_piece() : std::min(piece.size(), bytes - done);
        if (now > piece.size()) piece.resize(now);
        gather(piece.data(), done, now);
        made.checksum = blocks_.fill(data + done, {piece.data(), now}, made.checksum);
        done += now;
      }
    }
  } catch (...) {
    const std::unique_lock lock(mutex_);
    const write_guard guard(store_->memory());
    blocks_.give_up(data);
    throw;
  }
  return made;
}

/// A block of the elements `from`, all of them.
stored_block stored_arrays::filled_from(const shape& of, const box& part, const const_untyped_view& from) {
  const std::size_t element = of.type.size();
  const std::size_t bytes = bytes_of(part.count, element);
  if (is_dense(from.dims, from.strides, element)) return filled_block(bytes, element, of.how, {}, from.data);
  // Whole rows of the outermost dimension at a time.
  const std::size_t row = from.dims.rank() == 0 || from.dims[0] == 0 ? bytes : bytes / from.dims[0];
  const bool is_row_small = row != 0 && row <= gathered_bytes;
  const auto strides = row_major_strides(from.dims, element);
  const auto gather = [&](std::byte* to, std::size_t first, std::size_t count) {
    extents some = from.dims;
    const std::byte* begin = from.data;
    if (is_row_small && first % row == 0 && count % row == 0) {
      begin += static_cast<std::ptrdiff_t>(first / row) * from.strides[0];
      some[0] = count / row;
      copy_region(some, element, to, strides, begin, from.strides);
      return;
    }
    copy_region(some, element, to, strides, begin, from.strides);
  };
  if (is_row_small && bytes > gathered_bytes && of.how.codec == compression::none) {
    // Pieces are whole rows.
    const std::size_t rows = gathered_bytes / row;
    if (rows * row == gathered_bytes) return filled_block(bytes, element, of.how, gather, nullptr);
  }
  std::vector<std::byte> all(bytes);
  copy_region(from.dims, element, all.data(), strides, from.data, from.strides);
  return filled_block(bytes, element, of.how, {}, all.data());
}

void stored_arrays::give_up(std::span<const new_block> made) noexcept {
  for (const new_block& one : made) blocks_.give_up(std::to_address(one.block.data));
}

// Of the next two `block_store::reserve` has been called for.
void stored_arrays::drop_block(stored_array& array, std::size_t block) noexcept {
  blocks_.retire(array.blocks[block]);
  const std::size_t rank = array.dims.size();
  array.blocks.erase(array.blocks.begin() + static_cast<std::ptrdiff_t>(block));
  const auto at = array.boxes.begin() + static_cast<std::ptrdiff_t>(block * 2 * rank);
  array.boxes.erase(at, at + static_cast<std::ptrdiff_t>(2 * rank));
}

void stored_arrays::drop_all_blocks(stored_array& array) noexcept {
  for (const stored_block& block : array.blocks) blocks_.retire(block);
  array.blocks.clear();
  array.boxes.clear();
  array.chunks.clear();
}

/// With the lock held, inside a guard. All of them, or none if there is no memory.
void stored_arrays::link_blocks(stored_array& array, std::span<const new_block> made) {
  const std::size_t rank = array.dims.size();
  const bool is_chunked = static_cast<array_layout>(array.layout) == array_layout::chunked;
  blocks_.reserve(is_chunked ? made.size() : array.blocks.size() + made.size());
  make_room(array.boxes, 2 * rank * made.size());
  make_room(array.blocks, made.size());
  if (is_chunked) array.chunks.reserve(array.chunks.size() + made.size());
  const extents dims = to_extents(array.dims);
  const extents chunk = to_extents(array.chunk);
  for (const new_block& one : made) {
    if (!is_chunked) break;
    const auto known = array.chunks.find(chunk_number(dims, chunk, one.where.offset));
    if (known != array.chunks.end() && known->second >= array.blocks.size())
      throw error(errc::damaged, "an array's grid names a block that it does not have");
  }
  // From here on nothing fails.
  for (const new_block& one : made) {
    if (is_chunked) {
      const std::uint64_t number = chunk_number(dims, chunk, one.where.offset);
      const auto [entry, is_new] =
          array.chunks.try_emplace(number, static_cast<std::uint32_t>(array.blocks.size()));
      if (!is_new) {
        const std::size_t block = entry->second;
        blocks_.retire(array.blocks[block]);
        array.blocks[block] = one.block;
        // A chunk at the edge becomes larger when the array has grown.
        std::copy(one.where.count.begin(), one.where.count.end(),
                  array.boxes.begin() + static_cast<std::ptrdiff_t>((2 * block + 1) * rank));
        blocks_.link(std::to_address(one.block.data));
        continue;
      }
    } else {
      for (std::size_t i = array.blocks.size(); i-- > 0;) {
        const box other = block_box(array, i);
        if (one.where.contains(other)) {
          drop_block(array, i);
        } else if (!one.where.common_with(other).empty()) {
          array.may_overlap = 1;
        }
      }
    }
    array.blocks.push_back(one.block);
    array.boxes.insert(array.boxes.end(), one.where.offset.begin(), one.where.offset.end());
    array.boxes.insert(array.boxes.end(), one.where.count.begin(), one.where.count.end());
    blocks_.link(std::to_address(one.block.data));
  }
}

/// The blocks in the place of those of the array of that id, or as a new one. If it fails all is as before.
/// With the lock held, inside a guard.
void stored_arrays::replace(std::string_view id, const data_type& type, const extents& dims,
                            const array_options& options, const extents& chunk,
                            std::span<const new_block> made) {
  const bool is_new = look_up(id) == nullptr;
  // No array has the empty name.
  const auto entry = catalogue_->arrays.try_emplace(perdure::string(is_new ? id : "")).first;
  stored_array& array = entry->second;
  try {
    init(array, type, dims, options, chunk);
    link_blocks(array, made);
    if (is_new) return;
    blocks_.reserve(look_up(id)->blocks.size());
  } catch (...) {
    catalogue_->arrays.erase(entry);
    throw;
  }
  stored_array& before = *look_up(id);
  if (before.type == array.type) {
    before.exchange_all_but_attributes(array);
  } else {
    // What was said of the other array is not said of this one.
    before.exchange_all(array);
  }
  drop_all_blocks(array);
  catalogue_->arrays.erase(entry);
}

}  // namespace perdure::detail
