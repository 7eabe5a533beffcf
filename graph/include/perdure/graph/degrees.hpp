// How many neighbours vertices have: each vertex's degree, their distribution, and the vertices that have
// most.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <perdure/graph/graph_view.hpp>
#include <vector>

namespace perdure::graph {

/// Degrees of all vertices, by handle.
struct degree_result {
  std::vector<std::uint64_t> out;
  std::vector<std::uint64_t> in;  ///< empty for an undirected graph
  std::uint64_t self_loops = 0;
  std::uint64_t isolated = 0;  ///< vertices without an arc in either direction
  std::uint64_t edges = 0;     ///< an undirected edge counts once
};

/// Counts the arcs of each vertex. O(vertices + arcs), by one thread.
template <class Graph>
degree_result degrees(const Graph& graph) {
  degree_result found;
  if constexpr (require_graph_view<Graph>()) {
    found.out.resize(graph.size());
    if (!graph.symmetric()) found.in.resize(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const auto v = static_cast<vertex_handle>(i);
      found.out[v] = graph.degree(v);
      for (const vertex_handle to : graph.neighbours(v)) {
        found.self_loops += to == v ? 1U : 0U;
        if (!found.in.empty()) ++found.in[to];
      }
    }
    for (std::size_t v = 0; v < found.out.size(); ++v)
      found.isolated += found.out[v] == 0 && (found.in.empty() || found.in[v] == 0) ? 1U : 0U;
    found.edges = graph.symmetric() ? (graph.arcs() + found.self_loops) / 2 : graph.arcs();
  }
  return found;
}

/// The distribution of degrees.
struct degree_distribution {
  /// Vertices whose degree is from `from` to `to`.
  struct bin {
    std::uint64_t from;
    std::uint64_t to;
    std::uint64_t vertices;
  };

  explicit degree_distribution(const std::vector<std::uint64_t>& degrees);
  /// Takes the number of vertices by degree.
  explicit degree_distribution(std::map<std::uint64_t, std::uint64_t> counts);
  /// Returns the bins 0, 1, 2-3, 4-7, …, to the last that has vertices.
  std::vector<bin> bins() const;

  std::map<std::uint64_t, std::uint64_t> vertices;  ///< number of vertices by degree
  std::uint64_t smallest = 0;
  std::uint64_t largest = 0;
  double mean = 0;
  double median = 0;
};

/// A vertex and a value of it.
struct ranked_vertex {
  vertex_id id;
  double value;
};

/// Returns the `count` vertices with the largest values, the largest first, the smaller id first among
/// equals. `value(v)` is called with handles. O(vertices log count).
template <named_view Graph, class Value>
std::vector<ranked_vertex> highest(const Graph& graph, std::uint64_t count, Value&& value) {
  std::vector<vertex_handle> vertices(graph.size());
  std::iota(vertices.begin(), vertices.end(), vertex_handle{0});
  const auto shown = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, vertices.size()));
  std::partial_sort(vertices.begin(), vertices.begin() + shown, vertices.end(),
                    [&](vertex_handle a, vertex_handle b) {
                      const auto of_a = value(a);
                      const auto of_b = value(b);
                      return of_a != of_b ? of_a > of_b : graph.id(a) < graph.id(b);
                    });
  std::vector<ranked_vertex> top;
  for (auto v = vertices.begin(); v != vertices.begin() + shown; ++v)
    top.push_back({graph.id(*v), static_cast<double>(value(*v))});
  return top;
}

}  // namespace perdure::graph
