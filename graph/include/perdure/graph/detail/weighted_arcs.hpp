// Arcs with what they weigh, of graphs that keep weights and of those that do not.
#pragma once

#include <perdure/graph/graph_view.hpp>

namespace perdure::graph::detail {

/// Throws `invalid_argument`: shortest paths are asked for where an arc's weight is negative or no number.
[[noreturn]] void throw_bad_weight(double weight);

template <graph_view Graph>
bool knows_weights(const Graph& graph) {
  if constexpr (weighted_view<Graph>) {
    return graph.has_weights();
  } else {
    return false;
  }
}

/// Calls `visit(u, weight)` for each neighbour. Arcs without weights weigh 1.
template <graph_view Graph, class Visit>
void visit_weighted(const Graph& graph, vertex_handle v, Visit&& visit) {
  if constexpr (weighted_view<Graph>) {
    if (graph.has_weights()) {
      auto weight = graph.weights(v).begin();
      for (const vertex_handle u : graph.neighbours(v)) visit(u, static_cast<double>(*weight++));
      return;
    }
  }
  for (const vertex_handle u : graph.neighbours(v)) visit(u, 1.0);
}

}  // namespace perdure::graph::detail
