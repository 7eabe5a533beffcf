// How vertices are divided between ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/graph/detail/portion.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/vertex.hpp>
#include <vector>

namespace perdure::graph::detail {

/// Returns bounds of ranges with about as many vertices each.
std::vector<std::uint64_t> even_bounds(std::uint64_t vertices, int ranks);
/// Collective. Returns bounds of ranges with about as many arcs each. `bounds` are those of now, by which
/// each rank has the degrees of its vertices. A vertex weighs one arc more than it has, so that those without
/// arcs are divided too.
std::vector<std::uint64_t> bounds_by_arcs(const std::vector<std::uint64_t>& bounds,
                                          const std::vector<std::uint64_t>& degrees, rank_exchange& ranks);

/// Collective. Returns how many vertices this rank has by these bounds. Throws `unsupported` on all ranks
/// where one would have more than 2^32 - 1.
std::uint64_t own_vertices(const std::vector<std::uint64_t>& bounds, rank_exchange& ranks);

}  // namespace perdure::graph::detail
