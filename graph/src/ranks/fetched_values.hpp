// Values of vertices of other ranks.
#pragma once

#include <cstdint>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <span>
#include <vector>

namespace perdure::graph::detail {

/// Collective. Returns for each of `wanted`, numbers of vertices that are divided between ranks by `plan`,
/// what its owner has in `known`.
std::vector<std::uint64_t> fetched(const rank_plan& plan, rank_exchange& ranks,
                                   const std::vector<vertex_id>& wanted,
                                   std::span<const std::uint64_t> known);

}  // namespace perdure::graph::detail
