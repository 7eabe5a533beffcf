// Connected components of a graph that ranks have together.
#pragma once

#include <cstdint>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <vector>

namespace perdure::graph {

/// Answer of `connected_components` on a graph of ranks.
struct rank_component_result {
  std::vector<vertex_id> labels;  ///< smallest vertex number in the component of each own vertex
  component_summary summary;      ///< counts for the whole graph, the same on all ranks
};

/// Collective. Finds connected components. Labels and counts are those of `connected_components` in one
/// process, for any number of ranks and threads. Weights are ignored.
///
/// Method: each rank joins its own vertices into parts. In each round every part with smaller neighbours is
/// joined with the smallest one. Two rounds leave at most half of the parts that have neighbours, so there
/// are at most 2 log2(parts) rounds. The joined parts form trees, whose roots are found by doubling
/// distances, in log2(depth) questions and answers.
///
/// Takes 12 bytes for each own vertex, 16 for each arc to a smaller part of another rank, and 64 more for
/// each different arc between parts. Throws `errc::invalid_argument` for a graph that is divided among other
/// ranks.
rank_component_result connected_components(const rank_graph& graph, rank_exchange& ranks,
                                           unsigned threads = 1);

}  // namespace perdure::graph
