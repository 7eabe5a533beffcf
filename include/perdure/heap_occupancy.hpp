// How the memory of a heap is divided: among size classes, large blocks and free runs, and where they lie.
//
//     const perdure::manager store(perdure::open_read_only, "web.store");
//     const perdure::heap_occupancy found = perdure::occupancy_of(store.memory(), 1024);
//     std::cout << found.free_runs << " free runs, the longest of " << found.longest_free_run << " bytes\n";
#pragma once

#include <cstddef>
#include <perdure/heap.hpp>
#include <vector>

namespace perdure {

/// The division of a heap's memory. All sizes are in bytes. Bookkeeping is not part of it, and neither is
/// memory that no block has ever taken.
struct heap_occupancy {
  /// The slabs of one size class.
  struct size_class {
    std::size_t block_bytes = 0;  ///< size of a block
    std::size_t slabs = 0;        ///< number of slabs
    std::size_t slab_bytes = 0;   ///< bytes of these slabs
    std::size_t used_blocks = 0;  ///< allocated blocks in them
    std::size_t free_blocks = 0;  ///< blocks in them that can be allocated
  };
  /// A part of the heap's memory without gaps.
  struct stretch {
    std::size_t bytes = 0;        ///< its length, the sum of the slabs, large blocks and free runs in it
    std::size_t slab_bytes = 0;   ///< in slabs
    std::size_t used_bytes = 0;   ///< in allocated blocks of these slabs
    std::size_t large_bytes = 0;  ///< in large blocks
    std::size_t free_bytes = 0;   ///< in free runs
  };

  std::vector<size_class> classes;   ///< size classes that have slabs, by the size of their blocks
  std::size_t large_blocks = 0;      ///< number of blocks of more than 64 KiB
  std::size_t large_bytes = 0;       ///< bytes of these blocks
  std::size_t free_runs = 0;         ///< number of runs of memory without blocks, between used ones
  std::size_t free_run_bytes = 0;    ///< bytes of these runs
  std::size_t longest_free_run = 0;  ///< bytes of the longest one
  std::size_t stretch_bytes = 0;     ///< length of each stretch of `map` but the last
  std::vector<stretch> map;          ///< the heap's memory from its lowest address to its highest
};

/// Returns how the heap's memory is divided. `map` has at most `most_stretches` stretches, which is not 0; a
/// stretch has 16 KiB or a multiple of it. Blocks in the caches of threads count as used. Metadata that is
/// not sound is not followed: its zone ends there. O(runs).
///
/// Needs a `heap::standstill`, or all other threads to be quiet, like `heap::walk`.
heap_occupancy occupancy_of(const heap& memory, std::size_t most_stretches);

}  // namespace perdure
