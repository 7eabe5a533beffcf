// Truss numbers of edges (k-trusses).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/detail/oriented_rows.hpp>
#include <perdure/graph/detail/smallest_first.hpp>
#include <perdure/graph/detail/truss_peeling.hpp>
#include <perdure/graph/graph_view.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace perdure::graph {

/// An edge of the underlying simple graph.
struct truss_edge {
  vertex_handle a;      ///< the end with the smaller number
  vertex_handle b;      ///< the end with the larger number
  std::uint32_t truss;  ///< truss number: the largest k such that the k-truss has the edge, 2 or more
  /// Compares ends and truss number.
  bool operator==(const truss_edge&) const = default;
};

/// Answer of `trusses`.
struct truss_result {
  std::vector<truss_edge> edges;         ///< all edges, ordered by their ends
  std::vector<std::uint64_t> histogram;  ///< by k: number of edges with truss number k

  /// Returns the number of edges in the k-truss. O(largest k).
  std::uint64_t edges_of(std::uint32_t k) const noexcept {
    std::uint64_t count = 0;
    for (std::size_t i = k; i < histogram.size(); ++i) count += histogram[i];
    return count;
  }
  /// Returns the largest truss number; 0 for a graph without edges.
  std::uint32_t largest() const noexcept {
    return histogram.empty() ? 0 : static_cast<std::uint32_t>(histogram.size() - 1);
  }
};

/// Computes the truss number of every edge. The *k-truss* is what remains of the underlying simple graph when
/// edges in fewer than k - 2 triangles are removed until there are none. All edges are in the 2-truss.
///
/// Method: all threads, k by k, after Kabir, Madduri: "Parallel k-truss decomposition on multicore systems"
/// (HPEC 2017). O(arcs^1.5), and about 50 bytes for each edge. Throws `errc::unsupported` for more than 2^32
/// - 2 edges.
template <class Graph>
truss_result trusses(const Graph& graph, unsigned threads = 1) {
  truss_result result;
  if constexpr (require_graph_view<Graph>()) {
    const detail::oriented_rows oriented(graph, threads);
    detail::truss_peeling peeling(oriented.rows, threads);
    peeling.run();
    result.edges.resize(peeling.edges());
    detail::each_vertex(threads, oriented.rows.size(), [&](vertex_handle rank) {
      std::size_t edge = peeling.first_edge(rank);
      for (const vertex_handle other : oriented.rows.neighbours(rank)) {
        const auto [a, b] = std::minmax(oriented.vertices[rank], oriented.vertices[other]);
        result.edges[edge] = {a, b, peeling.support(edge) + 2};
        ++edge;
      }
    });
    std::sort(result.edges.begin(), result.edges.end(),
              [](const truss_edge& x, const truss_edge& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    for (const truss_edge& one : result.edges) {
      if (result.histogram.size() <= one.truss) result.histogram.resize(one.truss + std::size_t{1});
      ++result.histogram[one.truss];
    }
  }
  return result;
}

namespace detail {

/// The number of each edge at both its places in the rows: edges are numbered by their ends.
inline std::vector<std::uint32_t> edge_numbers(const neighbour_rows& rows) {
  std::vector<std::uint32_t> numbers(rows.places());
  std::vector<std::uint64_t> next(rows.size());  // by vertex where its next smaller neighbour stands
  for (std::size_t i = 0; i < rows.size(); ++i) next[i] = rows.first_place(static_cast<vertex_handle>(i));
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    std::uint64_t place = rows.first_place(v);
    for (const vertex_handle u : rows.neighbours(v)) {
      if (u > v) numbers[place] = numbers[next[u]++] = number++;
      ++place;
    }
  }
  return numbers;
}

}  // namespace detail

/// Checks truss numbers. Returns a sentence about the first fault, or nothing. Removes one edge after the
/// other, the one in the fewest triangles first, by one thread. O(arcs^1.5 log degree), and about 60 bytes
/// for each edge.
template <graph_view Graph>
std::optional<std::string> verify_trusses(const Graph& graph, std::span<const truss_edge> edges) {
  const detail::neighbour_rows rows = detail::simple_rows(graph, 1);
  if (edges.size() * 2 != rows.arcs())
    return "there are " + std::to_string(rows.arcs() / 2) + " edges, not " + std::to_string(edges.size());
  const std::vector<std::uint32_t> numbers = detail::edge_numbers(rows);
  std::size_t number = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    for (const vertex_handle u : rows.neighbours(v)) {
      if (u < v) continue;
      if (edges[number].a != v || edges[number].b != u)
        return "edge number " + std::to_string(number) + " is said to be between vertices number " +
               std::to_string(edges[number].a) + " and " + std::to_string(edges[number].b) +
               ", and is between " + std::to_string(v) + " and " + std::to_string(u);
      ++number;
    }
  }
  // Calls `visit(e, f)` with the other edges of each triangle that the edge is in.
  const auto each_triangle = [&](const truss_edge& one, auto&& visit) {
    const auto [few, many] =
        rows.degree(one.a) < rows.degree(one.b) ? std::pair(one.a, one.b) : std::pair(one.b, one.a);
    const auto in = rows.neighbours(many);
    auto from = in.begin();
    std::uint64_t place = rows.first_place(few);
    for (const vertex_handle w : rows.neighbours(few)) {
      from = std::lower_bound(from, in.end(), w);
      if (from == in.end()) return;
      if (*from == w)
        visit(numbers[place],
              numbers[rows.first_place(many) + static_cast<std::uint64_t>(from - in.begin())]);
      ++place;
    }
  };
  std::vector<std::uint32_t> support(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i)
    each_triangle(edges[i], [&](std::uint32_t, std::uint32_t) { ++support[i]; });
  for (detail::smallest_first left(std::move(support)); !left.is_empty();) {
    const auto [i, triangles] = left.take();
    if (edges[i].truss != triangles + 2)
      return "the edge between vertices number " + std::to_string(edges[i].a) + " and " +
             std::to_string(edges[i].b) + " is said to be in the " + std::to_string(edges[i].truss) +
             "-truss, and is in the " + std::to_string(triangles + 2) + "-truss";
    each_triangle(edges[i], [&left](std::uint32_t e, std::uint32_t f) {
      if (left.is_taken(e) || left.is_taken(f)) return;
      left.lower(e);
      left.lower(f);
    });
  }
  return std::nullopt;
}

}  // namespace perdure::graph
