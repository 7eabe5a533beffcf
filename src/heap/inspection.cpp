// Walking and checking a heap: every run of every region is visited, and what the lists, bitmaps and
// counters say must agree with it.

#include <algorithm>
#include <bit>
#include <string>

#include "heap/engine.hpp"
#include "segment/segment.hpp"

namespace perdure {

using namespace detail;

namespace {

bool is_free(const std::uint64_t* bitmap, std::uint32_t index) noexcept {
  return (bitmap[index / 64] >> (index % 64) & 1) != 0;
}

/// Calls `visit(first, descriptor)` for each run of the region until it returns false. Returns the unit at
/// which the row of runs broke off, or the region's end.
template <class Visit>
unit_index each_run(const metadata& m, std::size_t r, Visit visit) {
  const auto start = static_cast<unit_index>(r * units_per_region);
  const unit_index end = start + std::min(m.region(r).end_unit, units_per_region);
  unit_index u = start + first_data_unit;
  while (u < end) {
    const unit_descriptor& d = m.unit(u);
    const bool known =
        d.kind == unit_kind::free_run || d.kind == unit_kind::slab || d.kind == unit_kind::large;
    if (!known || d.length == 0 || d.length > end - u || !visit(u, d)) return u;
    u += d.length;
  }
  return u;
}

}  // namespace

heap_stats heap::stats() const {
  const metadata& m = engine_->metadata;
  const heap_header& header = m.header();
  heap_stats stats;
  stats.segment_bytes = engine_->memory.size();
  stats.used_bytes = header.large_units * unit_size;
  stats.blocks = header.large_blocks;
  std::size_t slab_bytes = 0;
  std::size_t slabs_used = 0;
  for (unsigned c = 0; c < class_count; ++c) {
    stats.blocks += header.used_blocks[c];
    slabs_used += header.used_blocks[c] * class_size(c);
    slab_bytes += header.slab_units[c] * unit_size;
  }
  stats.used_bytes += slabs_used;
  stats.free_bytes = slab_bytes - slabs_used;
  for (std::size_t r = 0; r < header.region_count; ++r) {
    if (header.regions[r] != region_kind::runs) continue;
    const unit_index frontier = m.region(r).frontier;
    each_run(m, r, [&](unit_index u, const unit_descriptor& d) {
      const unit_index first = u % units_per_region;
      if (d.kind == unit_kind::free_run && first < frontier)
        stats.free_bytes += std::min(d.length, frontier - first) * unit_size;
      return true;
    });
    stats.metadata_bytes += class_map_offset + frontier * (1 + descriptor_size);
    for (unsigned c = 0; c < class_count; ++c)
      if (r == 0 && slab_geometries[c].wide) stats.metadata_bytes += header.slab_units[c] * wide_bitmap_size;
  }
  return stats;
}

void heap::walk(const std::function<void(void*, std::size_t)>& visit) const {
  const metadata& m = engine_->metadata;
  const heap_header& header = m.header();
  for (std::size_t r = 0; r < header.region_count; ++r) {
    if (header.regions[r] == region_kind::huge) {
      const auto first = static_cast<unit_index>(r * units_per_region + first_data_unit);
      visit(m.address(first), std::size_t{m.unit(first).length} * unit_size);
    }
    if (header.regions[r] != region_kind::runs) continue;
    each_run(m, r, [&](unit_index u, const unit_descriptor& d) {
      if (d.kind == unit_kind::large) visit(m.address(u), std::size_t{d.length} * unit_size);
      if (d.kind != unit_kind::slab) return true;
      const slab_geometry& geometry = slab_geometries[d.size_class];
      const std::uint64_t* bitmap = m.bitmap(u, geometry);
      for (std::uint32_t i = 0; i < geometry.blocks; ++i)
        if (!is_free(bitmap, i))
          visit(m.address(u) + std::size_t{i} * geometry.block_size, geometry.block_size);
      return true;
    });
  }
}

std::vector<std::string> heap::check() const {
  const metadata& m = engine_->metadata;
  const heap_header& header = m.header();
  std::vector<std::string> faults;
  const auto fault = [&](unit_index u, const std::string& what) {
    if (faults.size() < 100) faults.push_back("unit " + std::to_string(u) + ": " + what);
  };

  std::uint64_t free_units = 0, free_runs = 0, large_units = 0, large_blocks = 0;
  std::uint64_t used_blocks[class_count] = {}, slab_units[class_count] = {}, partial_slabs[class_count] = {};
  for (std::size_t r = 0; r < header.region_count; ++r) {
    if (header.regions[r] == region_kind::huge) {
      const unit_descriptor& d = m.unit(static_cast<unit_index>(r * units_per_region + first_data_unit));
      large_units += d.length;
      ++large_blocks;
      if (d.kind != unit_kind::large)
        fault(first_data_unit, "a huge region does not begin with a large block");
    }
    if (header.regions[r] != region_kind::runs) continue;
    bool previous_free = false;
    const unit_index stop = each_run(m, r, [&](unit_index u, const unit_descriptor& d) {
      const unit_descriptor& tail = m.unit(u + d.length - 1);
      const bool free = d.kind == unit_kind::free_run;
      if (free && previous_free) fault(u, "two free runs side by side were not merged");
      previous_free = free;
      if (free) {
        free_units += d.length;
        ++free_runs;
        if (d.length > 1 && (tail.kind != unit_kind::free_tail || tail.length != d.length - 1))
          fault(u, "the free run's tail does not point back to it");
      } else if (d.kind == unit_kind::large) {
        large_units += d.length;
        ++large_blocks;
        if (d.length > 1 && (tail.kind != unit_kind::large_tail || tail.length != d.length - 1))
          fault(u, "the large block's tail does not point back to it");
      }
      for (std::uint32_t i = 0; i < d.length && !free; ++i) {
        const unsigned expected = d.kind == unit_kind::slab ? d.size_class + 1U : 0U;
        if (m.class_byte_of(u + i) != expected) {
          fault(u + i, "the class map disagrees with the descriptor");
          break;
        }
      }
      if (d.kind != unit_kind::slab) return true;
      if (d.size_class >= class_count || d.length != slab_geometries[d.size_class].units) {
        fault(u, "a slab of an impossible class or length");
        return false;
      }
      const slab_geometry& geometry = slab_geometries[d.size_class];
      const std::uint64_t* bitmap = m.bitmap(u, geometry);
      std::uint32_t free_blocks = 0;
      for (std::uint32_t w = 0; w < geometry.words; ++w) {
        free_blocks += static_cast<std::uint32_t>(std::popcount(bitmap[w]));
        if (w < d.first_word && bitmap[w] != 0)
          fault(u, "a free block lies before the slab's first free word");
      }
      if (geometry.blocks % 64 != 0 && (bitmap[geometry.words - 1] >> (geometry.blocks % 64)) != 0)
        fault(u, "the bitmap marks blocks beyond the slab's end");
      if (free_blocks != d.free_blocks)
        fault(u, "the slab counts " + std::to_string(d.free_blocks) + " free blocks, its bitmap " +
                     std::to_string(free_blocks));
      for (std::uint32_t i = 1; i < d.length; ++i)
        if (m.unit(u + i).kind != unit_kind::slab_rest || m.unit(u + i).length != i)
          fault(u + i, "a slab's unit does not point back to its first one");
      used_blocks[d.size_class] += geometry.blocks - free_blocks;
      slab_units[d.size_class] += d.length;
      partial_slabs[d.size_class] += free_blocks != 0;
      return true;
    });
    if (stop != r * units_per_region + m.region(r).end_unit) fault(stop, "the row of runs breaks off here");
  }

  std::uint64_t listed_runs = 0;
  for (unsigned list = 0; list < run_list_count; ++list) {
    const bool bit = (header.run_list_bits[list / 64] >> (list % 64) & 1) != 0;
    if (bit != (header.run_lists[list] != no_unit))
      fault(header.run_lists[list], "a run list's bit is wrong");
    unit_index previous = no_unit;
    for (unit_index u = header.run_lists[list]; u != no_unit; u = m.unit(u).next) {
      const unit_descriptor& d = m.unit(u);
      if (d.kind != unit_kind::free_run || d.previous != previous ||
          run_allocator::list_of(d.length) != list) {
        fault(u, "a run list holds what does not belong there");
        break;
      }
      if (++listed_runs > free_runs) break;
      previous = u;
    }
  }
  if (listed_runs != free_runs)
    fault(0,
          std::to_string(free_runs) + " free runs exist, but the lists hold " + std::to_string(listed_runs));

  for (unsigned c = 0; c < class_count; ++c) {
    std::uint64_t listed = 0;
    unit_index previous = no_unit;
    for (unit_index u = header.partial_slabs[c]; u != no_unit; u = m.unit(u).next) {
      const unit_descriptor& d = m.unit(u);
      if (d.kind != unit_kind::slab || d.size_class != c || d.free_blocks == 0 || d.previous != previous) {
        fault(u, "a bin lists a slab that does not belong there");
        break;
      }
      if (++listed > partial_slabs[c]) break;
      previous = u;
    }
    if (listed != partial_slabs[c])
      fault(0, "class " + std::to_string(c) + " lists not all its slabs with free blocks");
    if (used_blocks[c] != header.used_blocks[c] || slab_units[c] != header.slab_units[c])
      fault(0, "the counters of class " + std::to_string(c) + " are wrong");
    if (engine_->bins[c].double_frees() != 0)
      fault(0, std::to_string(engine_->bins[c].double_frees()) + " blocks of class " + std::to_string(c) +
                   " were freed twice");
  }
  if (free_units != header.free_units || large_units != header.large_units ||
      large_blocks != header.large_blocks)
    fault(0, "the counters of free or large runs are wrong");
  if (engine_->invalid_frees != 0)
    fault(0, std::to_string(engine_->invalid_frees) + " addresses were freed that are not allocated blocks");
  return faults;
}

}  // namespace perdure
