// An edge as it stands in the input, and the batches in which edges travel.
#pragma once

#include <cstdint>
#include <vector>

namespace perdure::graph {

/// A vertex as the input names it. Every 64-bit value is a valid id; ids may have gaps.
using vertex_id = std::uint64_t;

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
