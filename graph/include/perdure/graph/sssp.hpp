// Shortest paths from one vertex, by weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <perdure/graph/detail/delta_stepping.hpp>
#include <perdure/graph/detail/weighted_arcs.hpp>
#include <perdure/graph/graph_view.hpp>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace perdure::graph {

/// Options of `sssp`.
struct sssp_options {
  /// Width of a step: vertices whose distances differ by less are processed in the same step. A small width
  /// makes many steps; a large one follows arcs in vain. 0: chosen by the weights.
  double delta = 0;
  unsigned threads = 1;  ///< number of threads
};

/// Counts of a search.
struct sssp_summary {
  std::uint64_t reached = 0;  ///< vertices to which there is a path, the source included
  double farthest = 0;        ///< the largest finite distance
  double delta = 0;           ///< width of a step that was used
};

/// Answer of `sssp`.
struct sssp_result {
  std::vector<double> distances;  ///< distance of each vertex from the source; infinity if there is no path
  sssp_summary summary;           ///< counts
};

/// Finds the distances from `source` along the direction of the edges: sums of weights, or numbers of edges
/// if arcs have no weights.
///
/// Method: delta-stepping (Meyer, Sanders: "Δ-stepping: a parallelizable shortest path algorithm", Journal of
/// Algorithms, 2003). Distances do not depend on the number of threads. Takes 12 bytes for each vertex, and 4
/// for each time that a vertex waits for its turn.
///
/// Throws `errc::not_found` if `source` is not a vertex. Throws `errc::invalid_argument` for a negative or
/// NaN delta, for a weight on the way that is negative or NaN, and for a distance beyond the largest
/// `double`.
template <class Graph>
sssp_result sssp(const Graph& graph, vertex_handle source, const sssp_options& options = {}) {
  sssp_result result;
  if constexpr (require_graph_view<Graph>()) {
    detail::require_sssp_arguments(graph.size(), source, options.delta);
    result.summary.delta = options.delta != 0 ? options.delta : detail::suitable_delta(graph);
    result.distances =
        detail::delta_stepping<Graph>(graph, result.summary.delta, options.threads).run(source);
    for (const double distance : result.distances)
      if (distance != std::numeric_limits<double>::infinity()) {
        ++result.summary.reached;
        result.summary.farthest = std::max(result.summary.farthest, distance);
      }
  }
  return result;
}

/// Checks distances against Dijkstra's algorithm by one thread. Returns a sentence about the first fault, or
/// nothing. `source` must be a vertex. O((vertices + arcs) log arcs), 8 bytes for each vertex and up to 16
/// for each arc.
template <graph_view Graph>
std::optional<std::string> verify_sssp(const Graph& graph, vertex_handle source,
                                       const std::vector<double>& distances) {
  std::vector<double> expected(graph.size(), std::numeric_limits<double>::infinity());
  using waiting = std::pair<double, vertex_handle>;
  std::priority_queue<waiting, std::vector<waiting>, std::greater<>> queue;
  expected[source] = 0;
  queue.emplace(0, source);
  bool has_negative = false;
  std::vector<vertex_handle> too_far;  // by one path
  while (!queue.empty()) {
    const auto [distance, v] = queue.top();
    queue.pop();
    if (distance > expected[v]) continue;
    detail::visit_weighted(graph, v, [&, distance = distance](vertex_handle u, double weight) {
      has_negative |= !(weight >= 0);
      if (!(distance + weight <= detail::farthest_number)) too_far.push_back(u);
      if (has_negative || !(distance + weight < expected[u])) return;
      expected[u] = distance + weight;
      queue.emplace(expected[u], u);
    });
  }
  if (has_negative) return "a weight on the way is less than 0, or no number";
  for (const vertex_handle v : too_far)
    if (!(expected[v] <= detail::farthest_number))
      return "the distance of vertex number " + std::to_string(v) + " is larger than any number";
  if (distances.size() != graph.size()) return "there is not one distance for each vertex";
  for (std::size_t v = 0; v < graph.size(); ++v)
    if (distances[v] != expected[v])
      return "vertex number " + std::to_string(v) + " is at distance " + std::to_string(distances[v]) +
             ", and should be at " + std::to_string(expected[v]);
  return std::nullopt;
}

}  // namespace perdure::graph
