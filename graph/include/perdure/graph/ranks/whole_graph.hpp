// A graph of ranks as one graph in memory.
#pragma once

#include <cstdint>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <vector>

namespace perdure::graph {

/// The graph that one rank has as a whole, for the algorithms of one process. In ordinary memory: 4 bytes for
/// each arc, 12 with weights, and 8 or 16 for each vertex.
class whole_graph {
 public:
  /// Takes the only part of a graph: that of rank 0 of one rank. Throws `errc::unsupported` for more than
  /// 2^32 - 1 vertices.
  explicit whole_graph(rank_graph graph);

  /// Valid as long as this object.
  csr_view view() const noexcept;
  /// Number of arcs from a vertex to itself.
  std::uint64_t self_loops() const noexcept { return self_loops_; }

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<vertex_handle> targets_;
  std::vector<double> weights_;
  std::vector<vertex_id> ids_;
  std::uint64_t self_loops_ = 0;
};

}  // namespace perdure::graph
