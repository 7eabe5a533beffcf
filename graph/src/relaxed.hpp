// The memory order of the searches: threads only race for single words, and joining them orders the rest.
#pragma once

#include <atomic>

namespace perdure::graph {

inline constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace perdure::graph
