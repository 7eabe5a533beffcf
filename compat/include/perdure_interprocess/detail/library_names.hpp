// Whose names what belongs to a store has: ours, or, for programs that name Boost's, Boost's.
#pragma once

#include <perdure_interprocess/allocators/allocator.hpp>
#include <perdure_interprocess/detail/named_proxy.hpp>
#include <perdure_interprocess/smart_ptr/deleter.hpp>

namespace perdure_interprocess {

/// How an object is found again.
enum instance_type { anonymous_type, named_type, unique_type, max_allocation_type };

namespace detail {

/// Told by the memory algorithm, which is one of the library whose names a program uses.
template <class MemoryAlgorithm>
struct library_names {
  using void_pointer = typename MemoryAlgorithm::void_pointer;
  using mutex_family = typename MemoryAlgorithm::mutex_family;
  using instance_key = detail::instance_key;
  using instance_type = perdure_interprocess::instance_type;
  template <class T, class SegmentManager>
  using allocator = perdure_interprocess::allocator<T, SegmentManager>;
  template <class T, class SegmentManager>
  using deleter = perdure_interprocess::deleter<T, SegmentManager>;
};

}  // namespace detail
}  // namespace perdure_interprocess
