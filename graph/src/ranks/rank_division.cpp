// Divides vertices between ranks by sums that all of them know.
#include "ranks/rank_division.hpp"

#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <string>

#include "ranks/numbers_of_all.hpp"

namespace perdure::graph::detail {

std::vector<std::uint64_t> even_bounds(std::uint64_t vertices, int ranks) {
  const auto parts = static_cast<std::uint64_t>(ranks);
  std::vector<std::uint64_t> bounds;
  for (std::uint64_t rank = 0; rank <= parts; ++rank) bounds.push_back(portion(vertices, rank, parts));
  return bounds;
}

std::vector<std::uint64_t> bounds_by_arcs(const std::vector<std::uint64_t>& bounds,
                                          const std::vector<std::uint64_t>& degrees, rank_exchange& ranks) {
  const std::uint64_t own =
      std::accumulate(degrees.begin(), degrees.end(), static_cast<std::uint64_t>(degrees.size()));
  const std::vector<std::uint64_t> sums = sums_before(own, ranks);
  const std::uint64_t before = sums[static_cast<std::size_t>(ranks.rank())];
  const std::uint64_t all = sums.back();
  // Each bound but the first and the last is found by the rank that has the vertex before it.
  const auto parts = static_cast<std::uint64_t>(ranks.size());
  std::vector<std::uint64_t> found(parts + 1);
  std::uint64_t rank = 1;
  while (rank < parts && portion(all, rank, parts) <= before) ++rank;
  std::uint64_t sum = before;
  for (std::size_t v = 0; v < degrees.size(); ++v) {
    sum += degrees[v] + 1;
    for (; rank < parts && portion(all, rank, parts) <= sum; ++rank)
      found[rank] = bounds[static_cast<std::size_t>(ranks.rank())] + v + 1;
  }
  ranks.add_up(found);
  found.back() = bounds.back();
  return found;
}

std::uint64_t own_vertices(const std::vector<std::uint64_t>& bounds, rank_exchange& ranks) {
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const std::uint64_t own = bounds[rank + 1] - bounds[rank];
  joint_call(ranks, [own] {
    if (own > most_vertices)
      throw error(errc::unsupported, "it would own " + std::to_string(own) +
                                         " vertices, and a rank can number 2^32 - 1: take more ranks");
  });
  return own;
}

}  // namespace perdure::graph::detail
