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

/// What an edge source hands out at once: some ten thousand edges.
struct edge_batch {
  std::vector<edge> edges;
  std::vector<double> values;  ///< third column (weight or time stamp) of each edge, when it was asked for

  void clear() noexcept {
    edges.clear();
    values.clear();
  }
};

}  // namespace perdure::graph
