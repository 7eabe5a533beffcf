// Layout of the directory of objects in the segment. All links are offsets from the segment's start;
// 0 means none.
//
//   heap root ─► directory_root ─► slot table: open addressing, a power of two of 8-byte slots
//                     │                 │
//                     │                 └─► [name … | object_record | the object's elements …]   one block
//                     │                                  │        └─► attribute_record ─► …
//                     └─► type_record ─► … ◄─────────────┘   one per type, shared by its objects
//
// An object's record ends where its first element begins, so a pointer to an object leads to all that is
// known of the object. The slot that points back proves that there really is one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "manager/name_hash.hpp"

namespace perdure::detail {

inline constexpr std::uint64_t directory_magic = 0x79726f74'63657269;  // "irectory"
inline constexpr std::uint32_t directory_version = 1;
inline constexpr std::uint32_t least_table_bits = 6;

struct directory_root {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t table_bits;  // the table has 1 << table_bits slots, at most 7/8 of them taken
  std::uint64_t table;
  std::uint64_t counts[3];  // objects by instance_kind
  std::uint64_t types;      // the type interned last
  std::uint64_t type_count;
  std::uint64_t attributes;  // of the store itself: first attribute_record
  std::uint64_t reserved[7];
};
static_assert(sizeof(directory_root) == 128);

/// A slot: the object's offset in units of 16 bytes (44 bits), its kind (2 bits), and the top of its hash
/// (18 bits), so that probing seldom touches the record of another object. 0 is free.
using directory_slot = std::uint64_t;
inline constexpr unsigned slot_kind_shift = 44;
inline constexpr unsigned slot_tag_shift = 46;
inline constexpr std::uint64_t slot_offset_mask = (std::uint64_t{1} << slot_kind_shift) - 1;
inline constexpr std::size_t object_alignment = 16;

struct object_record {
  std::uint64_t hash;        // of the name, the type's name (unique), or the offset (anonymous)
  std::uint64_t type;        // its type_record
  std::uint64_t attributes;  // first attribute_record
  std::uint64_t length;      // elements
  std::uint32_t name_length;
  std::uint32_t lead;   // bytes from the start of the block to the object; the name is at the start
  std::uint32_t check;  // of everything above but the attributes, and of the object's offset
  std::uint8_t kind;
  std::uint8_t reserved[3];
};
static_assert(sizeof(object_record) == 48 && sizeof(object_record) % object_alignment == 0);

/// The right value of `check` in the record of the object at that offset.
inline std::uint32_t record_check(const object_record& record, std::uint64_t offset) noexcept {
  const std::uint64_t shape = (std::uint64_t{record.name_length} << 32) | record.lead;
  const std::uint64_t mixed =
      fold(offset ^ record.hash ^ 0x510e527fade682d1, record.type ^ 0x9b05688c2b3e6c1f);
  return static_cast<std::uint32_t>(
      fold(mixed ^ shape ^ record.kind, (record.length << 1) ^ 0x1f83d9abfb41bd6b));
}

/// Followed by the mangled name, a zero byte, and what is inside the type (`detail::describe_type`, whole
/// lines of its layout, then its form). Never removed: a type costs its name once, and once more when its
/// form or the names of its members become others, as these are not in the hash.
struct type_record {
  std::uint64_t next;
  std::uint64_t hash;  // of type and layout; of the type alone in stores from before layouts were kept
  std::uint64_t name_hash;
  std::uint64_t size;
  std::uint32_t alignment;
  std::uint32_t version;
  std::uint16_t trivially_copyable;
  std::uint16_t layout_length;
  std::uint32_t name_length;
};
static_assert(sizeof(type_record) == 48);

/// Followed by the key and the value.
struct attribute_record {
  std::uint64_t next;
  std::uint32_t key_length;
  std::uint32_t value_length;
};
static_assert(sizeof(attribute_record) == 16);

}  // namespace perdure::detail
