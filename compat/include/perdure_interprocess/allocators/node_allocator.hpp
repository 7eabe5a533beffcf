// An allocator for nodes. How they are pooled is the heap's business: the numbers have no effect.
#pragma once

#include <cstddef>
#include <perdure_interprocess/detail/pool_allocator.hpp>

namespace perdure_interprocess {

template <class T, class SegmentManager, std::size_t NodesPerBlock = 64>
using node_allocator = detail::pool_allocator<T, SegmentManager>;

}  // namespace perdure_interprocess
