// Breadth-first search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <perdure/graph/detail/bfs_search.hpp>
#include <perdure/graph/graph_view.hpp>
#include <queue>
#include <span>
#include <string>
#include <vector>

namespace perdure::graph {

struct bfs_result {
  std::vector<std::uint32_t>
      levels;  ///< by vertex: edges from the source; `unreached` where there is no path
  std::vector<vertex_handle>
      parents;  ///< by vertex: the one before it on a shortest path; the source's is itself
  bfs_summary summary;
};

/// Distances from `source` along the direction of the edges, with the caller's arrays.
///
/// Level by level. Where arcs can be followed backwards it changes direction as in Beamer, Asanović,
/// Patterson: "Direction-Optimizing Breadth-First Search" (SC 2012). Large levels are gone through by vertex
/// number, so that graph and arrays may be larger than memory: nothing else is kept in memory but counters.
///
/// Which of several shortest paths `parents` tells may differ from run to run. Throws `errc::not_found` when
/// `source` is not a vertex, `errc::invalid_argument` when an array is too short. O(vertices + arcs).
template <class Graph>
bfs_summary bfs(const Graph& graph, vertex_handle source, const bfs_arrays& arrays, unsigned threads = 1) {
  if constexpr (require_graph_view<Graph>()) {
    detail::require_bfs_arguments(graph.size(), source, arrays);
    return detail::bfs_search<Graph>(graph, arrays, threads).run(source);
  } else {
    return {};
  }
}

/// As above, with arrays of its own: 8.5 bytes for each vertex.
template <class Graph>
bfs_result bfs(const Graph& graph, vertex_handle source, unsigned threads = 1) {
  bfs_result result;
  if constexpr (require_graph_view<Graph>()) {
    result.levels.resize(graph.size());
    result.parents.resize(graph.size());
    std::vector<std::byte> scratch(bfs_arrays::scratch_bytes(graph.size()));
    result.summary = bfs(graph, source, {result.levels, result.parents, scratch}, threads);
  }
  return result;
}

/// What is wrong with the answer to a search, if something is: compares it with a plain search by one thread.
/// `parents` may be empty. O(vertices + arcs), and 8 bytes for each vertex.
template <graph_view Graph>
std::optional<std::string> verify_bfs(const Graph& graph, vertex_handle source,
                                      std::span<const std::uint32_t> levels,
                                      std::span<const vertex_handle> parents = {}) {
  const auto about = [](vertex_handle v) { return "vertex number " + std::to_string(v); };
  std::vector<std::uint32_t> expected(graph.size(), unreached);
  // For each vertex whether its parent has an edge to it.
  std::vector<bool> led_to(parents.size());
  std::queue<vertex_handle> waiting;
  expected[source] = 0;
  for (waiting.push(source); !waiting.empty(); waiting.pop()) {
    const vertex_handle v = waiting.front();
    for (const vertex_handle next : graph.neighbours(v)) {
      if (!parents.empty() && parents[next] == v && expected[v] + 1 == levels[next]) led_to[next] = true;
      if (expected[next] != unreached) continue;
      expected[next] = expected[v] + 1;
      waiting.push(next);
    }
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    if (levels[v] != expected[v])
      return about(v) + " is at level " + std::to_string(levels[v]) + ", and should be at " +
             std::to_string(expected[v]);
    if (parents.empty()) continue;
    const bool is_right = v == source                ? parents[v] == v
                          : expected[v] == unreached ? parents[v] == no_vertex
                                                     : led_to[v];
    if (!is_right)
      return about(v) + " has the parent " + std::to_string(parents[v]) +
             ", which is not before it on a shortest path";
  }
  return std::nullopt;
}

}  // namespace perdure::graph
