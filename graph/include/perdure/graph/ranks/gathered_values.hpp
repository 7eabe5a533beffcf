// Values of the vertices of all ranks, for the rank that writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/vertex.hpp>
#include <span>
#include <vector>

namespace perdure::graph {

/// Function that takes some vertices and the values of each, one vertex after the other.
using value_taker =
    std::function<void(std::span<const vertex_id> ids, std::span<const std::uint64_t> values)>;

/// Collective. Calls `take` on rank 0 with pieces of the values of all ranks, in the order of the ranks.
/// `values` has `columns` elements for each of `ids`. An exception of `take` is thrown on all ranks
/// (`joint_call`). A piece has at most 2^18 vertices, so rank 0 needs little memory.
void gather_values(rank_exchange& ranks, std::span<const vertex_id> ids,
                   std::span<const std::uint64_t> values, std::size_t columns, const value_taker& take);

/// Collective. Moves ids and their values between ranks, so that they are in the order of ids, the smallest
/// on rank 0. `values` has `columns` elements for each of `ids`, which must all differ. Nothing moves if they
/// are in order already. Otherwise each is sent once, with 16 bytes more for each id.
void order_by_id(rank_exchange& ranks, std::vector<vertex_id>& ids, std::vector<std::uint64_t>& values,
                 std::size_t columns);

}  // namespace perdure::graph
