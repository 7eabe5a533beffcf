// The graph whose vertices are the communities of another one.
#pragma once

#include <cstdint>
#include <perdure/graph/detail/community_graph.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <vector>

#include "ranks/community_labels.hpp"

namespace perdure::graph::detail {

/// Collective. Returns the graph of communities, of which `numbers` has the number of each index, and
/// `bounds` the ranges of ranks
/// (`community_labels::numbered`). Edges within a community become its loop.
community_graph contracted(const community_graph& graph, const community_labels& communities,
                           const std::vector<std::uint64_t>& numbers, std::vector<std::uint64_t> bounds,
                           rank_exchange& ranks, unsigned threads);

}  // namespace perdure::graph::detail
