// Hands out runs of 16 KiB units: slabs for the bins, and large blocks. Two-level segregated fit (Masmano
// et al., "TLSF", ECRTS 2004) at unit granularity: allocation and release are O(1) for any store size,
// neighbours that are free are merged at once, and no search ever starts at the segment's beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heap/metadata.hpp"
#include "heap/recent_releases.hpp"
#include "segment/segment.hpp"

namespace perdure::detail {

/// Not thread-safe: the heap serialises calls.
class run_allocator {
 public:
  explicit run_allocator(segment& memory) noexcept : memory_(memory), metadata_(memory.base()) {}

  /// Opens one more zone's data for runs. False if the capacity is used up.
  bool add_zone();
  /// Allocates a run of `units` units whose first one is a multiple of `alignment_units` (a power of two up
  /// to a chunk). The caller sets the descriptors' kind. Throws `std::bad_alloc`; then nothing has changed.
  unit_index allocate(std::uint32_t units, std::uint32_t alignment_units);
  void release(unit_index first, std::uint32_t units);
  /// Extends the run in place. False if its right neighbour is not free or too short, or memory ran out.
  bool extend(unit_index first, std::uint32_t units, std::uint32_t new_units);

  /// Allocates a block of so many bytes, which no zone's data can hold.
  unit_index allocate_huge(std::size_t bytes);
  void release_huge(unit_index first);

  /// Takes the chunks inside runs that were already free at the previous call, and marks them released.
  /// Throws `errc::damaged` where the lists of free runs are not what this library wrote.
  std::vector<page_run> take_idle_chunks();
  /// The same, but also the unused parts of runs of which other parts were used meanwhile. For memory that
  /// costs little to give back and take again: parts that were given back once may be given back again
  /// together with new ones beside them.
  std::vector<page_run> take_idle_parts();

  static unsigned list_of(std::uint32_t units) noexcept;
  /// Units from `first` on that lie in the same zone and exist.
  std::uint32_t units_to_zone_end(unit_index first) const noexcept {
    return metadata_.zone(first / units_per_zone).end_unit - first % units_per_zone;
  }

 private:
  void link(unit_index first, std::uint32_t units, idle_state idle) noexcept;
  void unlink(unit_index first) noexcept;
  unit_index find_fit(std::uint32_t units) const noexcept;
  bool is_free_run(unit_index first, unsigned list) const noexcept;
  unit_index take(unit_index run, std::uint32_t skip, std::uint32_t units);
  void start_zone(std::size_t zone, bool as_free_run);
  void commit(std::size_t begin, std::size_t end, page_role role);
  void make_accessible(unit_index first, std::uint32_t units);
  template <class Visit>
  void visit_unreleased_runs(Visit&& visit);
  void give_back(unit_index first, unit_index begin, unit_index end, std::vector<page_run>& chunks);
  void take_vacant_zones(std::vector<page_run>& chunks);

  segment& memory_;
  metadata metadata_;
  recent_releases recent_;
};

}  // namespace perdure::detail
