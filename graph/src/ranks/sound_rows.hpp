// Checks of what ranks pass to an algorithm. Each error is thrown on all ranks, with the same message.
#pragma once

#include <cstdint>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/rank_rows.hpp>
#include <string>

namespace perdure::graph::detail {

/// Collective. Throws `invalid_argument` where
/// - the rows of a rank do not fit their bounds
/// - the ranks have different bounds
/// - an edge is not in the rows of both its ends as often, with the same weights.
void require_sound(const rank_rows& rows, rank_exchange& ranks);

/// Collective. Throws `invalid_argument` unless all ranks pass the same number, which stands for `what`.
void require_same(std::uint64_t number, rank_exchange& ranks, const std::string& what);

/// Throws `invalid_argument` where the graph is not this rank's part for these ranks.
void require_part(const rank_graph& graph, const rank_exchange& ranks);

}  // namespace perdure::graph::detail
