// An edge as the input has it, and the batches in which edges travel.
#pragma once

#include <perdure/graph/vertex.hpp>
#include <vector>

namespace perdure::graph {

/// An edge, by the ids of its ends.
struct edge {
  vertex_id source;  ///< where the edge begins; either end of an undirected edge
  vertex_id target;  ///< where the edge ends
  /// Compares both ends, in order: an undirected edge differs from the same edge turned round.
  bool operator==(const edge&) const = default;
};

/// A part of the edges of an edge source: about ten thousand edges, and vertices that need not occur in an
/// edge.
struct edge_batch {
  std::vector<edge> edges;     ///< the edges
  std::vector<double> values;  ///< weight of each edge, or empty
  /// Time of each edge in seconds since 1970, or in the unit of the input; or empty.
  std::vector<double> times;

  /// Vertices that the input declares, each before its first edge.
  std::vector<vertex_id> vertices;

  /// Removes everything and keeps the memory.
  void clear() noexcept {
    vertices.clear();
    edges.clear();
    values.clear();
    times.clear();
  }
};

}  // namespace perdure::graph
