// Layout of a store's arrays: one object, found by its type, with an entry for each array.
//
//   array_catalogue ─► arrays: id ─► stored_array ─► boxes, blocks ─► a block of the heap for each part
//                  └─► unlinked: blocks that belong to no array (any more, or not yet)
//
// A block is made and filled before an array has it, and given back after no array has it: in between it is
// in `unlinked`, so that a crash leaves no block that nobody knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/array/array_info.hpp>
#include <perdure/container/flat_map.hpp>
#include <perdure/container/string.hpp>
#include <perdure/container/vector.hpp>
#include <perdure/offset_ptr.hpp>
#include <perdure/type_stamp.hpp>
#include <utility>

namespace perdure::detail {

/// The bytes of one part of an array, row-major.
struct stored_block {
  offset_ptr<std::byte> data;
  std::uint64_t stored_bytes = 0;
  std::uint64_t bytes = 0;     // before compression
  std::uint32_t checksum = 0;  // of what is stored
  std::uint8_t codec = 0;      // compression
  std::uint8_t shuffled = 0;
  std::uint8_t unchecked = 0;  // it is written in place, and has no checksum
  std::uint8_t reserved = 0;
};

struct stored_attribute {
  perdure::string type;  // data_type's text
  perdure::vector<std::uint64_t> dims;
  perdure::string bytes;

  /// Exchanges two attributes of the same store.
  void exchange(stored_attribute& other) noexcept {
    type.swap(other.type);
    dims.swap(other.dims);
    bytes.swap(other.bytes);
  }
};

struct stored_array {
  perdure::string type;
  perdure::vector<std::uint64_t> dims;
  perdure::vector<std::uint64_t> chunk;
  perdure::vector<perdure::string> dimensions;
  perdure::vector<std::uint64_t> boxes;  // of each block: offset and count along each dimension
  perdure::vector<stored_block> blocks;  // oldest first
  perdure::flat_map<std::uint64_t, std::uint32_t> chunks;  // number in the grid -> block
  perdure::flat_map<perdure::string, stored_attribute> attributes;
  std::uint8_t layout = 0;
  std::uint8_t codec = 0;
  std::uint8_t shuffle = 0;
  std::uint8_t may_overlap = 0;  // blocks may hold the same elements: the newest counts
  std::int32_t level = 0;

  /// Exchanges two arrays of the same store, without their attributes.
  void exchange_all_but_attributes(stored_array& other) noexcept {
    type.swap(other.type);
    dims.swap(other.dims);
    chunk.swap(other.chunk);
    dimensions.swap(other.dimensions);
    boxes.swap(other.boxes);
    blocks.swap(other.blocks);
    chunks.swap(other.chunks);
    std::swap(layout, other.layout);
    std::swap(codec, other.codec);
    std::swap(shuffle, other.shuffle);
    std::swap(may_overlap, other.may_overlap);
    std::swap(level, other.level);
  }
  void exchange_all(stored_array& other) noexcept {
    exchange_all_but_attributes(other);
    attributes.swap(other.attributes);
  }
};

struct unlinked_block {
  offset_ptr<std::byte> data;
  std::uint64_t bytes = 0;
};

struct array_catalogue {
  std::uint32_t version = 1;
  perdure::flat_map<perdure::string, stored_array> arrays;
  perdure::vector<unlinked_block> unlinked;
};

// debugger/perdure_memory.py reads these without debug information of the library.
static_assert(sizeof(stored_block) == 32 && sizeof(std::pair<const perdure::string, stored_array>) == 312 &&
              sizeof(perdure::string) == 32 && offsetof(array_catalogue, arrays) == 8);

}  // namespace perdure::detail

template <>
inline constexpr std::uint32_t perdure::layout_version<perdure::detail::array_catalogue> = 1;
