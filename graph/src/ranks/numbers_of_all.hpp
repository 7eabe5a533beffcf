// Numbers of all ranks, added up and compared.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <span>
#include <vector>

namespace perdure::graph::detail {

/// Collective. Returns the sum of all ranks' numbers.
inline std::uint64_t sum_of_all(std::uint64_t number, rank_exchange& ranks) {
  std::array<std::uint64_t, 1> sum{number};
  ranks.add_up(sum);
  return sum[0];
}

/// Collective. Returns the largest of all ranks' numbers.
inline std::uint64_t largest_of_all(std::uint64_t number, rank_exchange& ranks) {
  const std::vector<std::uint64_t> numbers = ranks.gather(number);
  return *std::max_element(numbers.begin(), numbers.end());
}

/// Collective. Returns for each rank the sum of the numbers of those before it, and at the end the sum of
/// all.
inline std::vector<std::uint64_t> sums_before(std::uint64_t number, rank_exchange& ranks) {
  std::vector<std::uint64_t> sums{0};
  for (const std::uint64_t one : ranks.gather(number)) sums.push_back(sums.back() + one);
  return sums;
}

/// Collective. Returns whether all ranks' numbers ascend, in the order of the ranks.
inline bool ascend_over_ranks(std::span<const std::uint64_t> own, rank_exchange& ranks) {
  bool ascends = std::is_sorted(own.begin(), own.end());
  // A rank without numbers has no first and no last one.
  const std::vector<std::uint64_t> counts = ranks.gather(own.size());
  const std::vector<std::uint64_t> firsts = ranks.gather(own.empty() ? 0 : own.front());
  const std::vector<std::uint64_t> lasts = ranks.gather(own.empty() ? 0 : own.back());
  std::uint64_t before = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (counts[rank] == 0) continue;
    ascends &= firsts[rank] >= before;
    before = lasts[rank];
  }
  return sum_of_all(ascends ? 0 : 1, ranks) == 0;
}

}  // namespace perdure::graph::detail
