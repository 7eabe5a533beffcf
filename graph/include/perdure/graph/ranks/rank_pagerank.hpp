// PageRank of a graph that ranks have together.
#pragma once

#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>

namespace perdure::graph {

/// Collective. Computes the PageRank that `pagerank` in one process is defined by. Returns the values of own
/// vertices, which add up to 1 over all ranks; iterations and change are the same on all ranks.
///
/// The answer is the same, bit for bit, for any number of ranks and threads, and in every run: each
/// iteration goes from one array to another one, the values around a vertex are added up in the order of
/// their numbers, and those of all vertices as whole numbers. So it takes about twice as many iterations as
/// in one process, where values count at once, and differs from that answer by what the tolerance leaves
/// open: all values together are wrong by no more than `damping / (1 - damping)` times the last change.
///
/// Throws `errc::invalid_argument` on all ranks for a graph of other ranks, for options that `pagerank`
/// refuses, and where damping, tolerance or iterations differ between ranks. Weights are ignored. Each
/// iteration sends 8 bytes for each ghost. Takes 16 bytes for each own vertex and 8 for each ghost.
pagerank_result pagerank(const rank_graph& graph, rank_exchange& ranks, const pagerank_options& options = {});

}  // namespace perdure::graph
