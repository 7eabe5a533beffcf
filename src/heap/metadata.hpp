// Address arithmetic over a heap's metadata: from units to descriptors, class bytes, bitmaps and blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/layout.hpp"
#include "heap/slab_geometry.hpp"

namespace perdure::detail {

class metadata {
 public:
  explicit metadata(std::byte* base) noexcept : base_(base) {}

  std::byte* base() const noexcept { return base_; }
  heap_header& header() const noexcept { return *reinterpret_cast<heap_header*>(base_); }
  zone_header& zone(std::size_t z) const noexcept {
    return *reinterpret_cast<zone_header*>(base_ + z * zone_size + zone_header_offset);
  }
  unit_descriptor& unit(unit_index u) const noexcept {
    return reinterpret_cast<unit_descriptor*>(zone_of(u) + descriptor_offset)[u % units_per_zone];
  }
  std::uint8_t& class_byte_of(unit_index u) const noexcept {
    return reinterpret_cast<std::uint8_t*>(zone_of(u) + class_map_offset)[u % units_per_zone];
  }
  std::uint64_t* bitmap(unit_index slab, const slab_geometry& geometry) const noexcept {
    if (!geometry.wide) return unit(slab).bitmap;
    return reinterpret_cast<std::uint64_t*>(zone_of(slab) + wide_bitmap_offset +
                                            (slab % units_per_zone) * wide_bitmap_size);
  }
  /// Returns whether what the zone's kind promises of its metadata lies in a segment of that size.
  static bool is_held(std::size_t z, std::size_t segment_bytes) noexcept {
    return z * zone_size + data_offset <= segment_bytes;
  }
  std::byte* address(unit_index u) const noexcept { return base_ + std::size_t{u} * unit_size; }
  unit_index unit_of(const void* block) const noexcept {
    return static_cast<unit_index>(static_cast<std::size_t>(static_cast<const std::byte*>(block) - base_) /
                                   unit_size);
  }
  /// First unit of the slab that holds this unit.
  unit_index slab_of(unit_index u) const noexcept {
    const unit_descriptor& d = unit(u);
    return d.kind == unit_kind::slab_rest ? u - d.length : u;
  }

 private:
  std::byte* zone_of(unit_index u) const noexcept {
    return base_ + std::size_t{u / units_per_zone} * zone_size;
  }
  std::byte* base_;
};

}  // namespace perdure::detail
