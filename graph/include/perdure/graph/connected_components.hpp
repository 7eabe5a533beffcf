// Connected components; of a directed graph, the weakly connected ones.
#pragma once

#include <cstdint>
#include <perdure/graph/vertex_index.hpp>
#include <vector>

namespace perdure::graph {

struct component_result {
  std::vector<vertex_id> labels;  ///< by handle: the smallest vertex id of the vertex's component
  std::uint64_t components = 0;
  std::uint64_t largest = 0;  ///< vertices in the largest component
};

/// Concurrent union-find, with the sampling of Sutton, Ben-Nun, Barak: "Optimizing Parallel Graph
/// Connectivity Computation via Subgraph Sampling" (IPDPS 2018) where the graph is undirected.
/// O((vertices + arcs) α(vertices)).
component_result connected_components(const vertex_index& graph, unsigned threads = 1);

}  // namespace perdure::graph
