// Names a memory algorithm. Perdure's heap is the only one there is; what counts is the pointer type.
#pragma once

#include <boost/interprocess/sync/mutex_family.hpp>
#include <cstddef>
#include <perdure_interprocess/offset_ptr.hpp>

namespace perdure_interprocess {

using boost::interprocess::mutex_family;
using boost::interprocess::null_mutex_family;

/// `VoidPointer` is an offset pointer, or `void*` for a store that is always mapped at the same address. The
/// other parameters have no effect: allocation is thread-safe, and aligned to 16 bytes.
template <class MutexFamily, class VoidPointer = offset_ptr<void>, std::size_t MemAlignment = 0>
struct rbtree_best_fit {
  using mutex_family = MutexFamily;
  using void_pointer = VoidPointer;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
};

}  // namespace perdure_interprocess
