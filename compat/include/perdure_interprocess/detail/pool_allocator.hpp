// Boost's six allocators for nodes are one here: Perdure's heap keeps blocks of one size together, and each
// thread a stack of free ones, for every allocator.
#pragma once

#include <cstddef>
#include <limits>
#include <perdure_interprocess/allocators/allocator.hpp>

namespace perdure_interprocess::detail {

template <class T, class SegmentManager>
class pool_allocator : public allocator<T, SegmentManager> {
  using base = allocator<T, SegmentManager>;

 public:
  using version = version_type<pool_allocator, 2>;
  template <class U>
  struct rebind {
    using other = pool_allocator<U, SegmentManager>;
  };

  /// How many nodes to keep is the heap's business; the wish has no effect.
  pool_allocator(SegmentManager* manager, std::size_t /*max_cached_nodes*/ = 0) noexcept : base(manager) {}
  pool_allocator(const pool_allocator&) noexcept = default;
  template <class U>
  pool_allocator(const pool_allocator<U, SegmentManager>& other) noexcept
      : base(other.get_segment_manager()) {}
  pool_allocator& operator=(const pool_allocator&) noexcept = default;

  // There is no pool whose free blocks could be given back: they are the heap's already.
  static void deallocate_free_blocks() noexcept {}
  static void deallocate_cache() noexcept {}
  static void set_max_cached_nodes(std::size_t) noexcept {}
  static std::size_t get_max_cached_nodes() noexcept { return std::numeric_limits<std::size_t>::max(); }
};

}  // namespace perdure_interprocess::detail
