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

/// Answer of `bfs` with arrays of its own.
struct bfs_result {
  /// Number of edges from the source to each vertex; `unreached` where there is no path.
  std::vector<std::uint32_t> levels;
  /// The vertex before each vertex on a shortest path. The source is its own parent; `no_vertex` where there
  /// is no path.
  std::vector<vertex_handle> parents;
  bfs_summary summary;  ///< counts of vertices and arcs that were reached
};

/// Finds the distances from `source` along the direction of the edges, in arrays of the caller.
///
/// Method: level by level. Where arcs can be followed backwards, the search changes direction as in Beamer,
/// Asanović, Patterson: "Direction-Optimizing Breadth-First Search" (SC 2012). Large levels are scanned in
/// the order of vertex numbers. So graph and arrays may be larger than memory: only counters stay in memory
/// beside them.
///
/// With several threads, `parents` may name another of several shortest paths in each run. Throws
/// `errc::not_found` if `source` is not a vertex and `errc::invalid_argument` if an array is too short.
/// O(vertices + arcs).
template <class Graph>
bfs_summary bfs(const Graph& graph, vertex_handle source, const bfs_arrays& arrays, unsigned threads = 1) {
  if constexpr (require_graph_view<Graph>()) {
    detail::require_bfs_arguments(graph.size(), source, arrays);
    return detail::bfs_search<Graph>(graph, arrays, threads).run(source);
  } else {
    return {};
  }
}

/// Finds the distances from `source` in arrays of its own: 8.5 bytes for each vertex. Throws
/// `errc::not_found` if `source` is not a vertex, and `std::bad_alloc`. O(vertices + arcs).
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

/// Checks the answer of a search against a plain search by one thread. Returns a sentence about the first
/// fault, or nothing. `levels` has one element for each vertex; `parents` may be empty. `source` must be a
/// vertex. O(vertices + arcs), and 8 bytes for each vertex.
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
