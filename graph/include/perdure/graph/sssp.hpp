// Shortest paths from one vertex, along arcs that have weights.
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

struct sssp_options {
  /// How much further than another a vertex may be whose arcs are followed in the same step: small, and there
  /// are many steps; large, and arcs are followed in vain. 0: chosen by the weights.
  double delta = 0;
  unsigned threads = 1;
};

struct sssp_summary {
  std::uint64_t reached = 0;
  double farthest = 0;  ///< the largest distance
  double delta = 0;     ///< what was chosen, or given
};

struct sssp_result {
  std::vector<double> distances;  ///< by vertex: from the source; infinity where there is no path
  sssp_summary summary;
};

/// Distances from `source` along the direction of the edges: sums of weights, or numbers of edges where arcs
/// have no weights.
///
/// Delta-stepping after Meyer, Sanders: "Δ-stepping: a parallelizable shortest path algorithm" (Journal of
/// Algorithms, 2003). Distances do not depend on the threads. Throws `errc::not_found` when `source` is no
/// vertex, `errc::invalid_argument` for a weight on the way that is negative or no number, for a delta that
/// is, and for a distance beyond the largest number. Takes 12 bytes for each vertex, and 4 for each time that
/// a vertex waits for its turn.
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

/// What is wrong with distances, if something is: compares them with Dijkstra's by one thread. O((vertices +
/// arcs) log arcs), and 8 bytes for each vertex and up to 16 for each arc.
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
