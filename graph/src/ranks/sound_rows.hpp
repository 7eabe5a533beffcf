// Checks of what ranks pass to an algorithm. Each error is thrown on all ranks, with the same message.
#pragma once

#include <cstdint>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_rows.hpp>
#include <string>

namespace perdure::graph::detail {

/// How an algorithm uses the weights of arcs.
enum class weight_use : bool { none, sums };

/// Collective. Throws `invalid_argument` where
/// - the rows of a rank do not fit their bounds
/// - the ranks have different bounds
/// - an edge is not in the rows of both its ends as often
/// - weights are added up, and one is negative or no number, or an edge's ends have different ones.
void require_sound(const rank_rows& rows, rank_exchange& ranks, weight_use use);

/// Collective. Throws `invalid_argument` unless all ranks pass the same number, which stands for `what`.
void require_same(std::uint64_t number, rank_exchange& ranks, const std::string& what);

}  // namespace perdure::graph::detail
