// Neighbour lists of a rank, as a program has them.
#pragma once

#include <cstdint>
#include <perdure/graph/vertex.hpp>
#include <vector>

namespace perdure::graph {

/// The neighbour lists of the vertices that a rank owns. Vertices are numbered from 0 over all ranks, and
/// each rank owns a range of them. The graph is undirected: an edge is in the lists of both its ends, a loop
/// once.
struct rank_rows {
  std::vector<std::uint64_t> bounds;  ///< first vertex of each rank, and the number of all vertices
  /// Place where the list of each own vertex begins in `targets`, and the number of all its arcs.
  std::vector<std::uint64_t> offsets;
  std::vector<vertex_id> targets;  ///< numbers of the neighbours in the whole graph
  std::vector<double> weights;     ///< weights of the arcs; empty: arcs have no weights
  /// Ids of own vertices in the input; empty on all ranks: ids are the vertex numbers.
  std::vector<vertex_id> ids;
};

}  // namespace perdure::graph
