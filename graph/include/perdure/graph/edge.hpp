// An edge as it stands in the input, and the batches in which edges travel.
#pragma once

#include <perdure/graph/vertex.hpp>
#include <vector>

namespace perdure::graph {

struct edge {
  vertex_id source;
  vertex_id target;
  bool operator==(const edge&) const = default;
};

/// A part of what an edge source hands out: some ten thousand edges, and vertices that no edge need have.
struct edge_batch {
  std::vector<edge> edges;
  std::vector<double> values;  ///< the weight of each edge, or nothing
  std::vector<double>
      times;  ///< the time of each edge, in seconds since 1970 or as the input counts; or nothing

  std::vector<vertex_id> vertices;  ///< each before its first edge

  void clear() noexcept {
    vertices.clear();
    edges.clear();
    values.clear();
    times.clear();
  }
};

}  // namespace perdure::graph
