// Values of all ranks' vertices, for the rank that writes them down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/vertex.hpp>
#include <span>
#include <vector>

namespace perdure::graph {

/// Takes some vertices and the values of each, one vertex after the other.
using value_taker =
    std::function<void(std::span<const vertex_id> ids, std::span<const std::uint64_t> values)>;

/// Collective. Calls `take` on rank 0 with pieces of what all ranks have, in the order of the ranks. `values`
/// has `columns` elements for each of `ids`. What `take` throws is thrown on all ranks (`joint_call`). Rank 0
/// has a piece of 2^18 vertices at a time.
void gather_values(rank_exchange& ranks, std::span<const vertex_id> ids,
                   std::span<const std::uint64_t> values, std::size_t columns, const value_taker& take);

/// Collective. Moves ids and their values between ranks, so that they are in the order of ids, first those of
/// rank 0. `values` has `columns` elements for each of `ids`, which all differ. Nothing moves where they are
/// in order already; else each is sent once, and 16 bytes more for each id.
void order_by_id(rank_exchange& ranks, std::vector<vertex_id>& ids, std::vector<std::uint64_t>& values,
                 std::size_t columns);

}  // namespace perdure::graph
