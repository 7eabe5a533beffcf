// Triangles of a graph that ranks have together.
#pragma once

#include <cstdint>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_rows.hpp>

namespace perdure::graph {

/// Collective. Returns the number of triangles in the whole graph, which is that of `count_triangles` in one
/// process, on all ranks. Loops, repeated arcs and weights do not matter.
///
/// Each vertex keeps its neighbours with more neighbours than itself (with larger numbers, among equals): no
/// more than the square root of twice the edges. This row is sent once to each other rank that has one of
/// these neighbours, in 8 bytes for each entry, and compared with their rows there. Rows are sent in rounds,
/// so that a rank holds at most 64 KiB and one row for each other rank, and as much from each.
///
/// Throws `errc::invalid_argument` on all ranks for rows that do not fit their bounds or are not symmetric.
/// Takes 16 bytes for each own vertex and 8 for each ghost beside the plan of exchange, and a bit of both for
/// each thread.
std::uint64_t count_triangles(const rank_rows& rows, rank_exchange& ranks, unsigned threads = 1);

}  // namespace perdure::graph
