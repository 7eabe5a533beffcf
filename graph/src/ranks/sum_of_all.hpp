// The sum of a number of each rank.
#pragma once

#include <array>
#include <cstdint>
#include <perdure/graph/ranks/rank_exchange.hpp>

namespace perdure::graph::detail {

/// Collective. Returns the sum of all ranks' numbers.
inline std::uint64_t sum_of_all(std::uint64_t number, rank_exchange& ranks) {
  std::array<std::uint64_t, 1> sum{number};
  ranks.add_up(sum);
  return sum[0];
}

}  // namespace perdure::graph::detail
