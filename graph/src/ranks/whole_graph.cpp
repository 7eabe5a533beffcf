// Views the only part of a graph as rows of one process.
#include <algorithm>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/whole_graph.hpp>
#include <string>
#include <utility>

namespace perdure::graph {

whole_graph::whole_graph(rank_graph graph) : graph_(std::move(graph)) {
  if (graph_.ranks() != 1)
    throw error(errc::invalid_argument,
                "the graph is divided among " + std::to_string(graph_.ranks()) + " ranks: take that of one");
  for (vertex_handle v = 0; v < graph_.size(); ++v)
    for (const vertex_handle u : graph_.neighbours(v))
      if (u == v) ++self_loops_;
  const std::span<const vertex_id> ids = graph_.ids();
  if (std::is_sorted(ids.begin(), ids.end())) return;
  by_id_.resize(ids.size());
  std::iota(by_id_.begin(), by_id_.end(), vertex_handle{0});
  std::sort(by_id_.begin(), by_id_.end(), [&](vertex_handle a, vertex_handle b) { return ids[a] < ids[b]; });
}

csr_view whole_graph::view() const noexcept {
  return {.offsets = graph_.offsets(),
          .targets = graph_.targets(),
          .ids = graph_.ids(),
          .by_id = by_id_,
          .arc_weights = graph_.weights()};
}

}  // namespace perdure::graph
