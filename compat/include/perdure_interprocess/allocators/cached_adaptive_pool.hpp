// An allocator for nodes. How they are pooled is the heap's business: the numbers have no effect.
#pragma once

#include <cstddef>
#include <perdure_interprocess/detail/pool_allocator.hpp>

namespace perdure_interprocess {

template <class T, class SegmentManager, std::size_t NodesPerBlock = 64, std::size_t MaxFreeBlocks = 2,
          unsigned char OverheadPercent = 5>
using cached_adaptive_pool = detail::pool_allocator<T, SegmentManager>;

}  // namespace perdure_interprocess
