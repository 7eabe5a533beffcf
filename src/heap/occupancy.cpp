// Adds up the runs of a heap, by size class and by place.
#include <algorithm>
#include <array>
#include <cstdint>

#include "heap/engine.hpp"
#include "heap/zone_runs.hpp"
#include "perdure/heap_occupancy.hpp"

namespace perdure {

using namespace detail;

namespace {

/// A row of units that was once used, and how many of its bytes are in allocated blocks.
struct used_run {
  unit_kind kind;
  std::uint64_t units;
  std::uint64_t used_bytes;
};

std::uint64_t used_blocks(const slab_geometry& geometry, const unit_descriptor& slab) noexcept {
  return geometry.blocks - std::min(slab.free_blocks, geometry.blocks);
}

/// Calls `visit(run, descriptor)` for each run below the frontier of its zone, in the order of addresses.
template <class Visit>
void each_used_run(const metadata& m, std::size_t segment_bytes, Visit&& visit) {
  const heap_header& header = m.header();
  const std::size_t zones = std::min<std::size_t>(header.zone_count, max_zones);
  for (std::size_t z = 0; z < zones; ++z) {
    if (!metadata::is_held(z, segment_bytes)) continue;
    if (header.zones[z] == zone_kind::huge) {
      const unit_descriptor& block = m.unit(static_cast<unit_index>(z * units_per_zone + first_data_unit));
      const std::uint64_t most = segment_bytes / unit_size - z * units_per_zone - first_data_unit;
      const std::uint64_t units = std::min<std::uint64_t>(block.length, most);
      visit(used_run{unit_kind::large, units, units * unit_size}, block);
    }
    if (header.zones[z] != zone_kind::runs) continue;
    const unit_index frontier = m.zone(z).frontier;
    each_run(m, z, [&](unit_index u, const unit_descriptor& d) {
      const unit_index first = u % units_per_zone;
      if (first >= frontier) return false;
      used_run run{d.kind, std::min(d.length, frontier - first), 0};
      if (d.kind == unit_kind::large) run.used_bytes = run.units * unit_size;
      if (d.kind == unit_kind::slab) {
        const slab_geometry& geometry = slab_geometries[d.size_class];
        run.used_bytes = used_blocks(geometry, d) * geometry.block_size;
      }
      visit(run, d);
      return true;
    });
  }
}

/// Divides a row of runs into stretches of equal length.
class stretches {
 public:
  stretches(heap_occupancy& found, std::uint64_t units, std::size_t most) : map_(found.map) {
    units_each_ = std::max<std::uint64_t>((units + most - 1) / most, 1);
    found.stretch_bytes = units_each_ * unit_size;
    map_.reserve((units + units_each_ - 1) / units_each_);
  }

  void add(const used_run& run) {
    std::uint64_t used_before = 0;
    for (std::uint64_t done = 0; done < run.units;) {
      if (at_ == 0) map_.emplace_back();
      const std::uint64_t units = std::min(units_each_ - at_, run.units - done);
      done += units;
      at_ = (at_ + units) % units_each_;
      heap_occupancy::stretch& one = map_.back();
      one.bytes += units * unit_size;
      // In this order, as all bytes of a run may be more than 64 bits can hold of them times its units.
      const std::uint64_t used =
          run.used_bytes / run.units * done + run.used_bytes % run.units * done / run.units;
      if (run.kind == unit_kind::slab) {
        one.slab_bytes += units * unit_size;
        one.used_bytes += used - used_before;
      } else if (run.kind == unit_kind::large) {
        one.large_bytes += units * unit_size;
      } else {
        one.free_bytes += units * unit_size;
      }
      used_before = used;
    }
  }

 private:
  std::vector<heap_occupancy::stretch>& map_;
  std::uint64_t units_each_;
  std::uint64_t at_ = 0;  // units of the last stretch that are taken; 0: the next one is to be begun
};

}  // namespace

heap_occupancy occupancy_of(const heap& memory, std::size_t most_stretches) {
  const auto& engine = heap_access::engine_of(memory);
  const metadata& m = engine.metadata;
  const std::size_t segment_bytes = engine.memory.size();
  require_metadata(m, engine.memory);
  heap_occupancy found;
  std::array<heap_occupancy::size_class, class_count> classes{};
  std::uint64_t units = 0;
  each_used_run(m, segment_bytes, [&](const used_run& run, const unit_descriptor& d) {
    units += run.units;
    if (run.kind == unit_kind::slab) {
      const slab_geometry& geometry = slab_geometries[d.size_class];
      heap_occupancy::size_class& one = classes[d.size_class];
      one.block_bytes = geometry.block_size;
      ++one.slabs;
      one.slab_bytes += run.units * unit_size;
      one.used_blocks += used_blocks(geometry, d);
      one.free_blocks += geometry.blocks - used_blocks(geometry, d);
    } else if (run.kind == unit_kind::large) {
      ++found.large_blocks;
      found.large_bytes += run.units * unit_size;
    } else {
      ++found.free_runs;
      found.free_run_bytes += run.units * unit_size;
      found.longest_free_run = std::max<std::size_t>(found.longest_free_run, run.units * unit_size);
    }
  });
  for (const heap_occupancy::size_class& one : classes)
    if (one.slabs != 0) found.classes.push_back(one);
  stretches map(found, units, std::max<std::size_t>(most_stretches, 1));
  each_used_run(m, segment_bytes, [&](const used_run& run, const unit_descriptor&) { map.add(run); });
  return found;
}

}  // namespace perdure
