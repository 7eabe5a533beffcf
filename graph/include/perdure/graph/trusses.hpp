// K-trusses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/detail/oriented_rows.hpp>
#include <perdure/graph/detail/truss_peeling.hpp>
#include <perdure/graph/graph_view.hpp>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace perdure::graph {

/// An edge of the underlying simple graph.
struct truss_edge {
  vertex_handle a;  ///< the smaller number
  vertex_handle b;
  std::uint32_t truss;  ///< the largest k of a k-truss that it is in, 2 or more
  bool operator==(const truss_edge&) const = default;
};

struct truss_result {
  std::vector<truss_edge> edges;         ///< ordered by their ends
  std::vector<std::uint64_t> histogram;  ///< by k: edges whose number is k

  /// Edges in the k-truss. O(largest k).
  std::uint64_t edges_of(std::uint32_t k) const noexcept {
    std::uint64_t count = 0;
    for (std::size_t i = k; i < histogram.size(); ++i) count += histogram[i];
    return count;
  }
  /// The largest k with edges; 0 where there are none at all.
  std::uint32_t largest() const noexcept {
    return histogram.empty() ? 0 : static_cast<std::uint32_t>(histogram.size() - 1);
  }
};

/// The *k-truss* is what is left of the underlying simple graph when edges that are in fewer than k - 2
/// triangles are taken away until there are none. All edges are in the 2-truss.
///
/// By all threads, k by k, after Kabir, Madduri: "Parallel k-truss decomposition on multicore systems" (HPEC
/// 2017). Throws `errc::unsupported` for more than 2^32 - 2 edges. O(arcs^1.5), and some 50 bytes for each
/// edge.
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

/// What is wrong with trusses, if something is: takes one edge after the other away, that in the fewest
/// triangles, by one thread. O(arcs * largest degree * log arcs), and some 100 bytes for each edge.
template <graph_view Graph>
std::optional<std::string> verify_trusses(const Graph& graph, std::span<const truss_edge> edges) {
  const detail::neighbour_rows rows = detail::simple_rows(graph, 1);
  if (edges.size() * 2 != rows.arcs())
    return "there are " + std::to_string(rows.arcs() / 2) + " edges, not " + std::to_string(edges.size());
  const auto edge_between = [edges](vertex_handle u, vertex_handle v) {
    const std::pair ends = std::minmax(u, v);
    const auto at =
        std::lower_bound(edges.begin(), edges.end(), ends,
                         [](const truss_edge& one, const std::pair<vertex_handle, vertex_handle>& two) {
                           return std::pair(one.a, one.b) < two;
                         });
    return at != edges.end() && at->a == ends.first && at->b == ends.second
               ? static_cast<std::size_t>(at - edges.begin())
               : edges.size();
  };
  std::vector<bool> gone(edges.size());
  /// Calls `visit(e, f)` with the other edges of each triangle that the edge is in.
  const auto each_triangle = [&](const truss_edge& one, auto&& visit) {
    for (const vertex_handle w : rows.neighbours(one.a)) {
      const std::size_t f = edge_between(one.b, w);
      if (w == one.b || f == edges.size()) continue;
      const std::size_t e = edge_between(one.a, w);
      if (e != edges.size() && !gone[e] && !gone[f]) visit(e, f);
    }
  };
  std::vector<std::uint32_t> support(edges.size());
  std::set<std::pair<std::uint32_t, std::size_t>> left;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    each_triangle(edges[i], [&](std::size_t, std::size_t) { ++support[i]; });
    left.emplace(support[i], i);
  }
  std::uint32_t truss = 2;
  while (!left.empty()) {
    const std::size_t i = left.begin()->second;
    truss = std::max(truss, left.begin()->first + 2);
    left.erase(left.begin());
    if (edges[i].truss != truss)
      return "the edge between vertices number " + std::to_string(edges[i].a) + " and " +
             std::to_string(edges[i].b) + " is said to be in the " + std::to_string(edges[i].truss) +
             "-truss, and is in the " + std::to_string(truss) + "-truss";
    each_triangle(edges[i], [&](std::size_t e, std::size_t f) {
      for (const std::size_t other : {e, f}) {
        left.erase({support[other], other});
        left.emplace(--support[other], other);
      }
    });
    gone[i] = true;
  }
  return std::nullopt;
}

}  // namespace perdure::graph
