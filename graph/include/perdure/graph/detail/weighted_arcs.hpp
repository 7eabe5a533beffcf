// Arcs with what they weigh, of graphs that keep weights and of those that do not.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <perdure/graph/graph_view.hpp>
#include <perdure/workload/parallel.hpp>

namespace perdure::graph::detail {

/// Throws `invalid_argument`: shortest paths are asked for where an arc's weight is negative or no number.
[[noreturn]] void throw_bad_weight(double weight);
/// Throws `invalid_argument`: a distance is larger than any number.
[[noreturn]] void throw_too_far();

/// Distances up to this are numbers.
inline constexpr double farthest_number = std::numeric_limits<double>::max();

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

/// Throws what `throw_bad_weight` does if any arc has such a weight. O(arcs).
template <graph_view Graph>
void require_weights(const Graph& graph, unsigned threads) {
  if (!knows_weights(graph)) return;
  constexpr std::size_t grain = 4096;
  std::atomic<std::size_t> next{0};
  workload::run_threads(std::max(1U, threads), [&](unsigned) {
    for (;;) {
      const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= graph.size()) return;
      for (std::size_t v = begin; v < std::min(begin + grain, graph.size()); ++v)
        visit_weighted(graph, static_cast<vertex_handle>(v), [](vertex_handle, double weight) {
          if (!(weight >= 0)) throw_bad_weight(weight);
        });
    }
  });
}

}  // namespace perdure::graph::detail
