// A graph of ranks as one graph.
#pragma once

#include <cstdint>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <vector>

namespace perdure::graph {

/// A graph that one rank holds as a whole, for the algorithms of one process.
///
/// Thread safety: const members from any thread.
class whole_graph {
 public:
  /// Takes the only part of a graph: rank 0 of one rank. Throws `errc::invalid_argument` for a part of
  /// several. O(arcs), and O(vertices log vertices) if vertices are not numbered in the order of their ids.
  explicit whole_graph(rank_graph graph);

  /// Returns a view that is valid as long as this object.
  csr_view view() const noexcept;
  /// Returns the number of edges from a vertex to itself.
  std::uint64_t self_loops() const noexcept { return self_loops_; }

 private:
  rank_graph graph_;
  std::vector<vertex_handle> by_id_;  // empty: as they are numbered
  std::uint64_t self_loops_ = 0;
};

}  // namespace perdure::graph
