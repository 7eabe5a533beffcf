// Vertices near a vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/graph/bit_set.hpp>
#include <perdure/graph/graph_view.hpp>
#include <string>
#include <vector>

namespace perdure::graph {

/// Answer of `neighbourhood`.
struct neighbourhood_result {
  std::vector<vertex_handle> vertices;   ///< the vertex itself, then the vertices one arc away, then two, …
  std::vector<std::uint64_t> histogram;  ///< number of vertices at each distance

  /// Calls `visit(v, hops)` for all vertices, in this order.
  template <class Visit>
  void each(Visit&& visit) const {
    std::size_t at = 0;
    for (std::size_t hops = 0; hops < histogram.size(); ++hops)
      for (std::uint64_t i = 0; i < histogram[hops]; ++i) visit(vertices[at++], hops);
  }
};

namespace detail {

/// Throws `not_found`.
void require_vertex(std::size_t vertices, vertex_handle v);

}  // namespace detail

/// Finds the vertices to which at most `hops` arcs lead from `vertex`, along the direction of the edges. One
/// thread, O(arcs of the vertices found), and a bit for each vertex of the graph. Throws `errc::not_found` if
/// `vertex` is not a vertex.
template <class Graph>
neighbourhood_result neighbourhood(const Graph& graph, vertex_handle vertex, std::uint64_t hops) {
  neighbourhood_result result;
  if constexpr (require_graph_view<Graph>()) {
    detail::require_vertex(graph.size(), vertex);
    std::vector<std::uint64_t> words(bit_set::words_for(graph.size()));
    const bit_set seen(words);
    seen.add(vertex);
    result.vertices.push_back(vertex);
    result.histogram.push_back(1);
    std::size_t first = 0;
    for (std::uint64_t hop = 1; hop <= hops; ++hop) {
      const std::size_t end = result.vertices.size();
      for (std::size_t i = first; i < end; ++i)
        for (const vertex_handle u : graph.neighbours(result.vertices[i])) {
          if (seen.contains(u)) continue;
          seen.add(u);
          result.vertices.push_back(u);
        }
      if (result.vertices.size() == end) break;
      result.histogram.push_back(result.vertices.size() - end);
      first = end;
    }
  }
  return result;
}

/// Checks a neighbourhood. Returns a sentence about the first fault, or nothing. Scans all arcs once for each
/// hop: O(hops × arcs).
template <graph_view Graph>
std::optional<std::string> verify_neighbourhood(const Graph& graph, vertex_handle vertex, std::uint64_t hops,
                                                const neighbourhood_result& found) {
  constexpr std::uint64_t far = ~std::uint64_t{0};
  std::vector<std::uint64_t> expected(graph.size(), far);
  expected[vertex] = 0;
  std::uint64_t reached = 1;
  for (std::uint64_t hop = 0; hop < hops; ++hop) {
    const std::uint64_t before = reached;
    for (std::size_t v = 0; v < graph.size(); ++v) {
      if (expected[v] != hop) continue;
      for (const vertex_handle u : graph.neighbours(static_cast<vertex_handle>(v))) {
        if (expected[u] != far) continue;
        expected[u] = hop + 1;
        ++reached;
      }
    }
    if (reached == before) break;
  }
  if (found.vertices.size() != reached)
    return "there are " + std::to_string(found.vertices.size()) + " vertices, and should be " +
           std::to_string(reached);
  std::optional<std::string> wrong;
  found.each([&](vertex_handle v, std::uint64_t hop) {
    if (expected[v] != hop)
      wrong = "vertex number " + std::to_string(v) + " is " + std::to_string(hop) +
              " arcs away, and should be " + (expected[v] == far ? "farther" : std::to_string(expected[v]));
    expected[v] = far;  // once
  });
  return wrong;
}

}  // namespace perdure::graph
