// The rows of a rank, as a program has them.
#pragma once

#include <cstdint>
#include <perdure/graph/vertex.hpp>
#include <vector>

namespace perdure::graph {

/// The rows of the vertices that a rank owns. Vertices are numbered from 0 over all ranks, and each rank owns
/// a range of them. The graph is undirected: an edge is in the rows of both its ends, a loop once.
struct rank_rows {
  std::vector<std::uint64_t> bounds;  ///< first vertex of each rank, and the number of all vertices
  std::vector<std::uint64_t>
      offsets;  ///< where the row of each own vertex begins in `targets`, and the number of all its arcs
  std::vector<vertex_id> targets;  ///< numbers of the neighbours
  std::vector<double> weights;     ///< weights of the arcs; empty: none has one
  std::vector<vertex_id> ids;      ///< how the input calls own vertices; empty on all ranks: by their numbers
};

}  // namespace perdure::graph
