// How many units a slab of each size class has, and how many blocks fit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heap/layout.hpp"

namespace perdure::detail {

struct slab_geometry {
  std::uint32_t block_size;
  std::uint32_t units;
  std::uint32_t blocks;
  std::uint32_t words;       // of the bitmap
  std::uint32_t reciprocal;  // 2^32 / block_size rounded up: exact quotients for offsets below 512 KiB
  bool wide;                 // bitmap in the wide bitmap range
};

inline constexpr auto slab_geometries = [] {
  std::array<slab_geometry, class_count> table{};
  for (unsigned c = 0; c < class_count; ++c) {
    const std::size_t size = class_size(c);
    // The fewest units with at least eight blocks and at most 1/32 left over at the end; slabs of the
    // largest classes hold four.
    const std::size_t least_blocks = size > 16 * 1024 ? 4 : 8;
    std::size_t units = 1;
    while (units * unit_size / size < least_blocks || units * unit_size % size > units * unit_size / 32)
      ++units;
    const std::size_t blocks = units * unit_size / size;
    table[c] = {
        static_cast<std::uint32_t>(size),
        static_cast<std::uint32_t>(units),
        static_cast<std::uint32_t>(blocks),
        static_cast<std::uint32_t>((blocks + 63) / 64),
        static_cast<std::uint32_t>((std::uint64_t{1} << 32) / size + ((std::uint64_t{1} << 32) % size != 0)),
        blocks > narrow_bitmap_words * 64};
  }
  return table;
}();

static_assert([] {
  for (const slab_geometry& g : slab_geometries) {
    if (g.wide && (g.units != 1 || g.words * 8 > wide_bitmap_size)) return false;
    if (g.units * unit_size > 512 * 1024) return false;
  }
  return true;
}());

/// A fingerprint of the table: heaps written with another one cannot be attached.
inline constexpr std::uint64_t geometry_checksum = [] {
  std::uint64_t sum = unit_size;
  for (const slab_geometry& g : slab_geometries)
    sum = (sum ^ (g.block_size * std::uint64_t{65536} + g.units)) * 0x9E3779B97F4A7C15ULL;
  return sum;
}();

}  // namespace perdure::detail
