// Connected components of a graph that ranks have together.
#pragma once

#include <cstdint>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <vector>

namespace perdure::graph {

struct rank_component_result {
  std::vector<vertex_id> labels;  ///< by own vertex: the smallest vertex number in its component
  component_summary summary;      ///< for the whole graph, the same on all ranks
};

/// Collective. Finds connected components. Labels and summary are those of `connected_components` in one
/// process, for any number of ranks and threads.
///
/// Each rank joins its own vertices into parts. In each round every part that has smaller neighbours is
/// joined with the smallest one, so that two rounds leave at most half of the parts that have neighbours: no
/// more than 2 log2(parts) rounds. The joined parts form trees, whose roots are found by doubling distances,
/// in log2(depth) questions and answers.
///
/// Throws `errc::invalid_argument` for a graph of other ranks. Weights are ignored. Takes 12 bytes for each
/// own vertex, 16 for each arc to a smaller part of another rank, and 64 more for each different one between
/// parts.
rank_component_result connected_components(const rank_graph& graph, rank_exchange& ranks,
                                           unsigned threads = 1);

}  // namespace perdure::graph
