// Layout of a heap in its segment. All of it is metadata in ranges of its own, apart from user blocks,
// so that a stray write is less likely to hit it and freeing a block does not dirty the block's page.
//
// The segment is a row of zones of 1 GiB. Each zone begins with its own metadata:
//
//   0        in zone 0 the heap header; at 60 KiB the zone header
//   64 KiB   class map: one byte per unit, the only metadata the hot path reads
//   128 KiB  unit descriptors, 64 bytes each
//   4.125 MiB  wide bitmaps, 256 bytes per unit, used by classes with more than 320 blocks in a slab
//   22 MiB   data: 64,128 units of 16 KiB
//
// Metadata that is never touched costs neither memory nor disk. A run is a row of units: free, a slab
// (blocks of one size class), or one large block. A block larger than a zone's data takes whole zones
// in a row ("huge"): it starts at the first one's data and continues over the metadata of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/detail/size_classes.hpp>
#include <perdure/heap.hpp>

namespace perdure::detail {

inline constexpr std::size_t unit_size = std::size_t{1} << unit_shift;
inline constexpr std::size_t zone_size = std::size_t{1} << zone_shift;
inline constexpr std::uint32_t units_per_zone = 1U << (zone_shift - unit_shift);
inline constexpr std::size_t chunk_size = std::size_t{2} << 20;
inline constexpr std::uint32_t units_per_chunk = chunk_size / unit_size;
inline constexpr std::size_t descriptor_offset = 128 * 1024;
inline constexpr std::size_t descriptor_size = 64;
inline constexpr std::size_t wide_bitmap_offset = descriptor_offset + descriptor_size * units_per_zone;
inline constexpr std::size_t wide_bitmap_size = 256;
inline constexpr std::size_t data_offset = 22 * (std::size_t{1} << 20);
inline constexpr std::uint32_t first_data_unit = data_offset / unit_size;
inline constexpr std::uint32_t data_units = units_per_zone - first_data_unit;
static_assert(wide_bitmap_offset + wide_bitmap_size * units_per_zone <= data_offset);
static_assert(data_offset % chunk_size == 0);

/// Counts units from the segment's start; 32 bits reach 64 TiB. 0 is metadata and thus means "none".
using unit_index = std::uint32_t;
inline constexpr unit_index no_unit = 0;

enum class unit_kind : std::uint8_t {
  unused = 0,    // inside a run; not to be interpreted
  free_run = 1,  // first unit of a free run
  free_tail = 2,
  slab = 3,       // first unit of a slab
  slab_rest = 4,  // any other unit of a slab
  large = 5,      // first unit of a large block
  large_tail = 6,
};

/// How long a free run has been free, so that memory is given back only if it was not reused at once.
enum class idle_state : std::uint8_t { fresh = 0, seen = 1, released = 2 };

inline constexpr unsigned narrow_bitmap_words = 5;

struct unit_descriptor {
  unit_kind kind;
  std::uint8_t size_class;   // slab, slab_rest
  std::uint16_t first_word;  // slab: no bitmap word before this one has a free block
  std::uint32_t
      length;       // free_run, slab, large: units in the run. Tails and rests: distance to its first unit
  unit_index next;  // free_run: in its size list. slab: in its bin's list of slabs with free blocks
  unit_index previous;
  std::uint32_t free_blocks;  // slab
  idle_state idle;            // free_run
  std::uint8_t reserved[3];
  std::uint64_t bitmap[narrow_bitmap_words];  // slab of at most 320 blocks: bit set = free
};
static_assert(sizeof(unit_descriptor) == descriptor_size);

/// Free runs are kept in lists by length: exact below 16 units, then eight lists per doubling (TLSF's
/// two-level scheme), with a bit per list that is not empty.
inline constexpr unsigned run_list_count = 16 + 8 * 12;

static_assert(run_list_count <= 128);

inline constexpr std::uint64_t heap_magic = 0x70616568'64726570;  // "perdheap"
inline constexpr std::uint32_t heap_version = 1;
inline constexpr std::size_t max_zones = 32 * 1024;

enum class zone_kind : std::uint8_t {
  none = 0,
  runs = 1,
  huge = 2,       // the first zone of a huge block
  huge_rest = 3,  // any other zone of it
  vacant = 4,     // left over from a huge block; its metadata is garbage
  vacant_released = 5,
};
constexpr bool is_vacant(zone_kind kind) noexcept {
  return kind == zone_kind::vacant || kind == zone_kind::vacant_released;
}

struct heap_header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t class_count;  // both are part of the format: blocks are found through them
  std::uint64_t class_checksum;
  std::uint64_t root;
  std::uint32_t zone_count;
  std::uint32_t reserved;
  std::uint64_t large_units;  // in large blocks
  std::uint64_t large_blocks;
  std::uint64_t free_units;  // in free runs
  std::uint64_t run_list_bits[2];
  unit_index run_lists[run_list_count];
  unit_index partial_slabs[64];   // per class: slabs with both used and free blocks
  std::uint64_t used_blocks[64];  // per class, cached blocks included
  std::uint64_t slab_units[64];
  zone_kind zones[max_zones];
};

/// At the same place in every zone, so that zone 0 has room for the heap header before it.
inline constexpr std::size_t zone_header_offset = 60 * 1024;
struct zone_header {
  std::uint32_t end_unit;  // units of the zone that exist: fewer than all where the capacity ends
  std::uint32_t frontier;  // no unit from here on was ever used
};
static_assert(sizeof(heap_header) <= zone_header_offset);
static_assert(zone_header_offset + sizeof(zone_header) <= class_map_offset);

}  // namespace perdure::detail
