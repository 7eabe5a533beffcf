// Counting down by several threads, to a floor.
#pragma once

#include <atomic>
#include <cstdint>

namespace perdure::graph::detail {

/// Takes 1 from a number that is larger than `floor`. Whether this made it `floor`, which is true of one
/// call.
inline bool lower_above(std::uint32_t floor, std::uint32_t& number) noexcept {
  const std::atomic_ref shared(number);
  std::uint32_t before = shared.load(std::memory_order_relaxed);
  while (before > floor)
    if (shared.compare_exchange_weak(before, before - 1, std::memory_order_relaxed))
      return before == floor + 1;
  return false;
}

}  // namespace perdure::graph::detail
