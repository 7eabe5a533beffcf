// Walking and checking a heap: every run of every zone is visited, and what the lists, bitmaps and
// counters say must agree with it.

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <string>

#include "heap/engine.hpp"
#include "heap/zone_runs.hpp"
#include "segment/segment.hpp"

namespace perdure {

using namespace detail;

namespace {

bool is_free(const std::uint64_t* bitmap, std::uint32_t index) noexcept {
  return (bitmap[index / 64] >> (index % 64) & 1) != 0;
}

/// Fills memory with zeros, page by page and only where something else is: a page that is zero already need
/// not become a private copy.
void clear(std::byte* from, std::size_t bytes) noexcept {
  while (bytes != 0) {
    const std::size_t step = std::min(bytes, page_size - reinterpret_cast<std::uintptr_t>(from) % page_size);
    const bool zero = from[0] == std::byte{0} && std::memcmp(from, from + 1, step - 1) == 0;
    if (!zero) std::memset(from, 0, step);
    from += step;
    bytes -= step;
  }
}

}  // namespace

heap_stats heap::stats() const {
  const metadata& m = engine_->metadata;
  require_metadata(m, engine_->memory);
  const heap_header& header = m.header();
  heap_stats stats;
  stats.segment_bytes = engine_->memory.size();
  std::size_t slab_bytes = 0;
  std::size_t slabs_used = 0;
  for (unsigned c = 0; c < class_count; ++c) {
    const std::lock_guard lock(engine_->bins[c]);
    stats.blocks += header.used_blocks[c];
    slabs_used += header.used_blocks[c] * class_size(c);
    slab_bytes += header.slab_units[c] * unit_size;
    if (slab_geometries[c].wide) stats.metadata_bytes += header.slab_units[c] * wide_bitmap_size;
  }
  const std::lock_guard lock(engine_->runs_mutex);
  stats.used_bytes = slabs_used + header.large_units * unit_size;
  stats.blocks += header.large_blocks;
  stats.free_bytes = slab_bytes - slabs_used;
  for (std::size_t z = 0; z < header.zone_count; ++z) {
    if (header.zones[z] != zone_kind::runs || !metadata::is_held(z, engine_->memory.size())) continue;
    const unit_index frontier = m.zone(z).frontier;
    each_run(m, z, [&](unit_index u, const unit_descriptor& d) {
      const unit_index first = u % units_per_zone;
      if (d.kind == unit_kind::free_run && first < frontier)
        stats.free_bytes += std::min(d.length, frontier - first) * unit_size;
      return true;
    });
    stats.metadata_bytes += class_map_offset + frontier * (1 + descriptor_size);
  }
  return stats;
}

void heap::walk_blocks(void (*visitor_call)(void*, void*, std::size_t), void* visitor) const {
  const auto visit = [&](void* block, std::size_t usable) { visitor_call(visitor, block, usable); };
  const metadata& m = engine_->metadata;
  require_metadata(m, engine_->memory);
  const heap_header& header = m.header();
  for (std::size_t z = 0; z < header.zone_count; ++z) {
    if (!metadata::is_held(z, engine_->memory.size())) continue;
    if (header.zones[z] == zone_kind::huge) {
      const auto first = static_cast<unit_index>(z * units_per_zone + first_data_unit);
      visit(m.address(first), std::size_t{m.unit(first).length} * unit_size);
    }
    if (header.zones[z] != zone_kind::runs) continue;
    each_run(m, z, [&](unit_index u, const unit_descriptor& d) {
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

void heap::zero_free_memory() {
  const standstill still(*this);
  const metadata& m = engine_->metadata;
  const heap_header& header = m.header();
  const std::size_t bytes = engine_->memory.size();
  for (std::size_t z = 0; z < header.zone_count; ++z) {
    if (is_vacant(header.zones[z])) {
      const std::size_t begin = z * zone_size;
      if (begin < bytes) clear(m.base() + begin, std::min(bytes - begin, zone_size));
    }
    if (header.zones[z] != zone_kind::runs || !metadata::is_held(z, bytes)) continue;
    const unit_index used_end = static_cast<unit_index>(z * units_per_zone) + m.zone(z).frontier;
    each_run(m, z, [&](unit_index u, const unit_descriptor& d) {
      if (d.kind == unit_kind::free_run && u < used_end)
        clear(m.address(u), std::size_t{std::min(d.length, used_end - u)} * unit_size);
      if (d.kind != unit_kind::slab) return true;
      const slab_geometry& geometry = slab_geometries[d.size_class];
      const std::uint64_t* bitmap = m.bitmap(u, geometry);
      for (std::uint32_t i = 0; i < geometry.blocks; ++i)
        if (is_free(bitmap, i))
          clear(m.address(u) + std::size_t{i} * geometry.block_size, geometry.block_size);
      return true;
    });
  }
}

std::vector<std::string> heap::check() const {
  const metadata& m = engine_->metadata;
  require_metadata(m, engine_->memory);
  const heap_header& header = m.header();
  const std::size_t capacity = engine_->memory.capacity();
  const std::size_t bytes = engine_->memory.size();
  std::vector<std::string> faults;
  const auto fault = [&](unit_index u, const std::string& what) {
    if (faults.size() < 100) faults.push_back("unit " + std::to_string(u) + ": " + what);
  };

  std::uint64_t free_units = 0, large_units = 0, large_blocks = 0;
  std::uint64_t used_blocks[class_count] = {}, slab_units[class_count] = {};
  // First units, in ascending order, as the walk meets them: what the lists hold must be among them.
  std::vector<unit_index> free_runs;
  std::vector<unit_index> partial_slabs[class_count];
  std::size_t rest_of_huge = 0;  // zones still to come of the huge block before
  for (std::size_t z = 0; z < header.zone_count; ++z) {
    const auto start = static_cast<unit_index>(z * units_per_zone);
    const zone_kind kind = header.zones[z];
    if ((kind == zone_kind::huge_rest) != (rest_of_huge != 0))
      fault(start, "a huge block is cut or too long");
    if (rest_of_huge != 0) --rest_of_huge;
    if (kind == zone_kind::none || kind > zone_kind::vacant_released)
      fault(start, "the zone is of no known kind");
    if (kind != zone_kind::huge && kind != zone_kind::runs) continue;
    if (!metadata::is_held(z, bytes)) {
      fault(start, "the zone lies beyond the segment's end");
      continue;
    }
    const zone_header& zone = m.zone(z);
    if (zone.end_unit != std::min(capacity - z * zone_size, zone_size) / unit_size)
      fault(start, "the zone has a wrong length");
    if (kind == zone_kind::huge) {
      const unit_descriptor& d = m.unit(start + first_data_unit);
      const std::size_t end = data_offset + std::size_t{d.length} * unit_size;
      large_units += d.length;
      ++large_blocks;
      if (d.kind != unit_kind::large) fault(start, "a huge zone does not begin with a large block");
      if (end > bytes - z * zone_size) fault(start, "a huge block lies beyond the segment's end");
      rest_of_huge = (end + zone_size - 1) / zone_size - 1;
      continue;
    }
    if (zone.frontier < first_data_unit || zone.frontier > zone.end_unit)
      fault(start, "the zone's frontier lies outside it");
    bool previous_free = false;
    const unit_index stop = each_run(m, z, [&](unit_index u, const unit_descriptor& d) {
      const unit_descriptor& tail = m.unit(u + d.length - 1);
      const bool free = d.kind == unit_kind::free_run;
      if (free && previous_free) fault(u, "two free runs side by side were not merged");
      previous_free = free;
      if (free) {
        free_units += d.length;
        free_runs.push_back(u);
        if (d.length > 1 && (tail.kind != unit_kind::free_tail || tail.length != d.length - 1))
          fault(u, "the free run's tail does not point back to it");
      } else if (d.kind == unit_kind::large) {
        large_units += d.length;
        ++large_blocks;
        if (d.length > 1 && (tail.kind != unit_kind::large_tail || tail.length != d.length - 1))
          fault(u, "the large block's tail does not point back to it");
      }
      if (!free && (u - start + d.length > zone.frontier || (std::size_t{u} + d.length) * unit_size > bytes))
        fault(u, "a run in use lies beyond what was ever used");
      for (std::uint32_t i = 0; i < d.length; ++i) {
        const unsigned expected = d.kind == unit_kind::slab ? d.size_class + 1U : 0U;
        if (m.class_byte_of(u + i) != expected) {
          fault(u + i, "the class map disagrees with the descriptor");
          break;
        }
      }
      if (d.kind != unit_kind::slab) return true;
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
      if (free_blocks != 0) partial_slabs[d.size_class].push_back(u);
      return true;
    });
    if (stop != start + zone.end_unit) fault(stop, "the row of runs breaks off here");
  }
  if (rest_of_huge != 0) fault(0, "a huge block is cut or too long");

  // A list is followed only through units that were met above, and ends where a link back is wrong, which
  // any circle has.
  const auto listed = [&](unit_index head, const std::vector<unit_index>& known, const auto& belongs,
                          const char* otherwise) {
    std::uint64_t count = 0;
    unit_index previous = no_unit;
    for (unit_index u = head; u != no_unit; u = m.unit(u).next) {
      if (!std::binary_search(known.begin(), known.end(), u) || m.unit(u).previous != previous ||
          !belongs(m.unit(u))) {
        fault(u, otherwise);
        break;
      }
      ++count;
      previous = u;
    }
    return count;
  };
  std::uint64_t listed_runs = 0;
  for (unsigned list = 0; list < 128; ++list) {
    const bool bit = (header.run_list_bits[list / 64] >> (list % 64) & 1) != 0;
    const unit_index head = list < run_list_count ? header.run_lists[list] : no_unit;
    if (bit != (head != no_unit)) fault(head, "a run list's bit is wrong");
    listed_runs += listed(
        head, free_runs, [&](const unit_descriptor& d) { return run_allocator::list_of(d.length) == list; },
        "a run list holds what does not belong there");
  }
  if (listed_runs != free_runs.size())
    fault(0, std::to_string(free_runs.size()) + " free runs exist, but the lists hold " +
                 std::to_string(listed_runs));

  for (unsigned c = 0; c < class_count; ++c) {
    const std::uint64_t slabs = listed(
        header.partial_slabs[c], partial_slabs[c], [](const unit_descriptor&) { return true; },
        "a bin lists a slab that does not belong there");
    if (slabs != partial_slabs[c].size())
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
