// Degrees of vertices, their distribution, and the vertices with the largest values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <perdure/graph/graph_view.hpp>
#include <vector>

namespace perdure::graph {

/// Degrees of all vertices.
struct degree_result {
  std::vector<std::uint64_t> out;  ///< number of arcs from each vertex; of an undirected graph its degree
  std::vector<std::uint64_t> in;   ///< number of arcs to each vertex; empty for an undirected graph
  std::uint64_t self_loops = 0;    ///< edges from a vertex to itself
  std::uint64_t isolated = 0;      ///< vertices without an arc in either direction
  std::uint64_t edges = 0;         ///< number of edges; an undirected edge counts once
};

/// Counts the arcs of each vertex. Parallel edges count separately, and a loop of an undirected graph once.
/// One thread, O(vertices + arcs).
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

/// Distribution of degrees.
struct degree_distribution {
  /// A range of degrees and the number of vertices in it.
  struct bin {
    std::uint64_t from;      ///< smallest degree of the range
    std::uint64_t to;        ///< largest degree of the range
    std::uint64_t vertices;  ///< vertices whose degree is in the range
  };

  /// Takes the degree of each vertex. O(vertices log degrees).
  explicit degree_distribution(const std::vector<std::uint64_t>& degrees);
  /// Takes the number of vertices by degree.
  explicit degree_distribution(std::map<std::uint64_t, std::uint64_t> counts);
  /// Returns the bins 0, 1, 2-3, 4-7, …, to the last that has vertices. With `per_doubling`, which is not 0,
  /// each doubling has so many bins of the same ratio, or one for each degree where it has fewer degrees.
  std::vector<bin> bins(unsigned per_doubling = 1) const;

  std::map<std::uint64_t, std::uint64_t> vertices;  ///< number of vertices by degree
  std::uint64_t smallest = 0;                       ///< smallest degree; 0 without vertices
  std::uint64_t largest = 0;                        ///< largest degree; 0 without vertices
  double mean = 0;                                  ///< mean degree
  double median = 0;                                ///< middle degree, or the mean of the two middle ones
};

/// A vertex and a value of it.
struct ranked_vertex {
  vertex_id id;  ///< id in the input
  double value;  ///< the value that it was ranked by
};

/// Returns the `count` vertices with the largest values, in falling order. Among equal values the smaller id
/// comes first. `value(v)` is called with vertex handles, several times for each. O(vertices log count).
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
