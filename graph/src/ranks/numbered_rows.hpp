// The graph of rows with numbers of the whole graph.
#pragma once

#include <cstdint>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/rank_rows.hpp>
#include <perdure/graph/vertex.hpp>
#include <span>

namespace perdure::graph::detail {

/// Orders the rows by the numbers of the neighbours, and arcs to the same one by weight.
void order_rows(rank_rows& rows, unsigned threads);

/// Returns whether no row, sorted and with local numbers, has a loop or the same neighbour twice.
bool are_simple(std::span<const std::uint64_t> offsets, std::span<const vertex_handle> targets) noexcept;

/// Makes the graph of rows that are sound and in order. Throws `unsupported` for more than 2^32 - 1 vertices
/// and ghosts.
rank_graph graph_of_rows(rank_rows rows, int rank);

}  // namespace perdure::graph::detail
