// Walks the runs of a heap without trusting what they say.
#pragma once

#include <algorithm>
#include <cstddef>

#include "heap/metadata.hpp"
#include "segment/segment.hpp"

namespace perdure::detail {

/// Calls `visit(first, descriptor)` for each run of the zone until it returns false. Returns the unit at
/// which the row of runs broke off, or the zone's end. Follows nothing that is not in the zone.
template <class Visit>
unit_index each_run(const metadata& m, std::size_t z, Visit visit) {
  const auto start = static_cast<unit_index>(z * units_per_zone);
  const unit_index end = start + std::min(m.zone(z).end_unit, units_per_zone);
  unit_index u = start + first_data_unit;
  while (u < end) {
    const unit_descriptor& d = m.unit(u);
    const bool known =
        d.kind == unit_kind::free_run || d.kind == unit_kind::slab || d.kind == unit_kind::large;
    if (!known || d.length == 0 || d.length > end - u) return u;
    const bool possible = d.kind != unit_kind::slab ||
                          (d.size_class < class_count && d.length == slab_geometries[d.size_class].units);
    if (!possible || !visit(u, d)) return u;
    u += d.length;
  }
  return u;
}

/// Has all metadata examined, as it is about to be read as a whole.
inline void require_metadata(const metadata& m, const detail::segment& memory) {
  for (std::size_t z = 0; z < m.header().zone_count; ++z)
    if (metadata::is_held(z, memory.size()))
      memory.require_sound({z * (zone_size / page_size), data_offset / page_size});
}

}  // namespace perdure::detail
