// Values of all ranks' vertices, for a rank that writes them down.
#pragma once

#include <cstdint>
#include <functional>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/vertex.hpp>
#include <span>

namespace perdure::graph {

/// Takes some vertices and a value of each.
using value_taker =
    std::function<void(std::span<const vertex_id> ids, std::span<const std::uint64_t> values)>;

/// Collective. Calls `take` on rank 0 with pieces of what all ranks have, in the order of the ranks. `ids`
/// and `values` have as many elements. What `take` throws is thrown on all ranks (`joint_call`). Rank 0 has a
/// piece of at most 4 MiB at a time.
void gather_values(rank_exchange& ranks, std::span<const vertex_id> ids,
                   std::span<const std::uint64_t> values, const value_taker& take);

}  // namespace perdure::graph
