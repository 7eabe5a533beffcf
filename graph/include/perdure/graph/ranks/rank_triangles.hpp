// Triangles of a graph that ranks have together.
#pragma once

#include <cstdint>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>

namespace perdure::graph {

/// Collective. Returns the number of triangles in the whole graph, which is that of `count_triangles` in one
/// process, on all ranks. Loops, repeated arcs and weights do not matter.
///
/// Each vertex keeps its neighbours with more neighbours than itself (with larger numbers, among equals): no
/// more than the square root of twice the edges. This row is sent once to each other rank that has one of
/// these neighbours, in 8 bytes for each entry, and compared with their rows there. Rows are sent in rounds,
/// so that a rank holds at most 64 KiB and one row for each other rank, and as much from each.
///
/// Throws `errc::invalid_argument` for a graph of other ranks. Takes 4 bytes for each arc, 16 for each own
/// vertex and 8 for each ghost, and a bit of both for each thread.
std::uint64_t count_triangles(const rank_graph& graph, rank_exchange& ranks, unsigned threads = 1);

}  // namespace perdure::graph
