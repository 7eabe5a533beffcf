// PageRank of a graph that ranks have together.
#pragma once

#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>

namespace perdure::graph {

/// Collective. Computes PageRank by the definition of `pagerank` in one process. Returns the ranks of own
/// vertices, whose sum over all ranks is 1. Iterations and change are the same everywhere. Weights are
/// ignored.
///
/// The answer is the same, bit for bit, in every run and for any number of ranks and threads. Each iteration
/// reads one array and writes another. The values around a vertex are added in the order of their numbers,
/// and totals over all vertices as whole numbers. So it takes about twice as many iterations as the in-place
/// method of one process. Its answer differs from that one within the tolerance: all values together differ
/// from the exact ones by no more than `damping / (1 - damping)` times the last change.
///
/// Each iteration sends 8 bytes for each ghost. Takes 16 bytes for each own vertex and 8 for each ghost.
/// Throws `errc::invalid_argument` on all ranks for a graph that is divided among other ranks, for options
/// that `pagerank` refuses, and if damping, tolerance or iterations differ between ranks.
pagerank_result pagerank(const rank_graph& graph, rank_exchange& ranks, const pagerank_options& options = {});

}  // namespace perdure::graph
