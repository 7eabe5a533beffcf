// Triangles of a graph that ranks have together.
#pragma once

#include <cstdint>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>

namespace perdure::graph {

/// Collective. Returns on all ranks the number of triangles in the whole graph, like `count_triangles` in one
/// process. Loops, parallel edges and weights are ignored.
///
/// Method: each vertex keeps its neighbours of higher degree (among equals, of larger number), at most the
/// square root of twice the edges. This list is sent once to each other rank that owns one of these
/// neighbours, in 8 bytes for each entry, and compared with their lists there. Lists are sent in rounds, so a
/// rank holds at most 64 KiB and one list for each other rank, and as much from each.
///
/// Takes 4 bytes for each arc, 16 for each own vertex and 8 for each ghost, and for each thread a bit for
/// each vertex and ghost. Throws `errc::invalid_argument` for a graph that is divided among other ranks.
std::uint64_t count_triangles(const rank_graph& graph, rank_exchange& ranks, unsigned threads = 1);

}  // namespace perdure::graph
