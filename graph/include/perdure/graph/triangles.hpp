// Triangles and clustering coefficients.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/detail/oriented_rows.hpp>
#include <perdure/graph/graph_view.hpp>
#include <span>
#include <string>
#include <vector>

namespace perdure::graph {

/// Triangles and clustering of a whole graph.
struct clustering_summary {
  std::uint64_t triangles = 0;    ///< number of triangles
  double average_clustering = 0;  ///< mean of the coefficients of all vertices
  /// Share of all pairs of neighbours of a vertex that are neighbours of each other.
  double transitivity = 0;
};

/// Answer of `clustering`.
struct clustering_result {
  std::vector<std::uint64_t> triangles;  ///< number of triangles at each vertex
  std::vector<double> coefficients;      ///< clustering coefficient of each vertex
  clustering_summary summary;            ///< values of the whole graph
};

/// Returns the number of triangles: sets of three vertices that are all joined, in whichever direction.
/// Loops, parallel edges and weights are ignored.
///
/// Method: each edge is examined from its end with fewer neighbours. O(arcs^1.5); 4 bytes for each edge and
/// 24 for each vertex.
template <class Graph>
std::uint64_t count_triangles(const Graph& graph, unsigned threads = 1) {
  if constexpr (require_graph_view<Graph>()) {
    std::atomic<std::uint64_t> all{0};
    struct counter {
      std::atomic<std::uint64_t>& all;
      std::uint64_t found = 0;

      explicit counter(std::atomic<std::uint64_t>& sum) : all(sum) {}
      counter(const counter&) = delete;
      counter& operator=(const counter&) = delete;
      ~counter() { all.fetch_add(found, std::memory_order_relaxed); }
      void pair(const std::uint64_t* marks, vertex_handle, vertex_handle,
                std::span<const vertex_handle> row) noexcept {
        for (const vertex_handle c : row) found += marks[c / 64] >> (c % 64) & 1;
      }
    };
    detail::oriented_rows(graph, threads).each_pair(threads, [&all] { return counter(all); });
    return all.load(std::memory_order_relaxed);
  } else {
    return 0;
  }
}

/// Counts the triangles at each vertex and computes clustering coefficients (Watts, Strogatz, Nature, 1998).
/// The coefficient of a vertex with k neighbours and t triangles is 2t / (k (k - 1)), and 0 if k is less than
/// 2. Neighbours are those in the underlying simple graph. Takes the time and memory of `count_triangles`,
/// and 20 bytes more for each vertex.
template <class Graph>
clustering_result clustering(const Graph& graph, unsigned threads = 1) {
  clustering_result result;
  if constexpr (require_graph_view<Graph>()) {
    const detail::oriented_rows oriented(graph, threads);
    const std::size_t size = graph.size();
    std::vector<std::uint64_t> at(size);  // by rank
    std::vector<vertex_handle> degrees(size);
    struct counter {
      std::vector<std::uint64_t>& at;

      void pair(const std::uint64_t* marks, vertex_handle a, vertex_handle b,
                std::span<const vertex_handle> row) {
        std::uint64_t here = 0;
        for (const vertex_handle c : row) {
          if ((marks[c / 64] >> (c % 64) & 1) == 0) continue;
          ++here;
          add(c, 1);
        }
        if (here == 0) return;
        add(a, here);
        add(b, here);
      }
      void add(vertex_handle rank, std::uint64_t more) {
        std::atomic_ref(at[rank]).fetch_add(more, std::memory_order_relaxed);
      }
    };
    oriented.each_pair(threads, [&at] { return counter{at}; });
    detail::each_vertex(threads, size, [&](vertex_handle rank) {
      const auto row = oriented.rows.neighbours(rank);
      std::atomic_ref(degrees[rank])
          .fetch_add(static_cast<vertex_handle>(row.size()), std::memory_order_relaxed);
      for (const vertex_handle other : row)
        std::atomic_ref(degrees[other]).fetch_add(1, std::memory_order_relaxed);
    });
    result.triangles.resize(size);
    result.coefficients.resize(size);
    double sum = 0;
    double pairs = 0;
    std::uint64_t corners = 0;
    for (std::size_t rank = 0; rank < size; ++rank) {
      const vertex_handle v = oriented.vertices[rank];
      const double here = static_cast<double>(degrees[rank]) * (static_cast<double>(degrees[rank]) - 1) / 2;
      result.triangles[v] = at[rank];
      result.coefficients[v] = here > 0 ? static_cast<double>(at[rank]) / here : 0;
      corners += at[rank];
      pairs += here;
      sum += result.coefficients[v];
    }
    result.summary.triangles = corners / 3;
    result.summary.average_clustering = size == 0 ? 0 : sum / static_cast<double>(size);
    result.summary.transitivity = pairs > 0 ? static_cast<double>(corners) / pairs : 0;
  }
  return result;
}

/// Checks the number of triangles at each vertex. Returns a sentence about the first fault, or nothing.
/// Examines all pairs of neighbours of each vertex by one thread: O(sum of squared degrees), and 4 to 8 bytes
/// for each arc.
template <graph_view Graph>
std::optional<std::string> verify_triangles(const Graph& graph, std::span<const std::uint64_t> triangles) {
  if (triangles.size() != graph.size()) return "there is not one number for each vertex";
  const detail::neighbour_rows rows = detail::simple_rows(graph, 1);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    const auto row = rows.neighbours(v);
    std::uint64_t ends = 0;  // each triangle from both of its other corners
    for (const vertex_handle u : row) {
      const auto other = rows.neighbours(u);
      auto at = other.begin();
      for (const vertex_handle w : row) {
        at = std::lower_bound(at, other.end(), w);
        if (at == other.end()) break;
        if (*at == w) ++ends;
      }
    }
    if (ends != 2 * triangles[v])
      return "vertex number " + std::to_string(v) + " is in " + std::to_string(triangles[v]) +
             " triangles, and should be in " + std::to_string(ends / 2);
  }
  return std::nullopt;
}

/// Checks the number of triangles in the whole graph. Returns a sentence about the fault, or nothing.
template <graph_view Graph>
std::optional<std::string> verify_triangles(const Graph& graph, std::uint64_t triangles) {
  std::uint64_t found = 0;
  const detail::neighbour_rows rows = detail::simple_rows(graph, 1);
  std::vector<vertex_handle> both;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    const auto row = rows.neighbours(v);
    for (const vertex_handle u : row) {
      if (u > v) break;
      both.clear();
      const auto other = rows.neighbours(u);
      std::set_intersection(row.begin(), row.end(), other.begin(), other.end(), std::back_inserter(both));
      found += both.size();
    }
  }
  if (found != 3 * triangles)
    return "there are " + std::to_string(found / 3) + " triangles, not " + std::to_string(triangles);
  return std::nullopt;
}

}  // namespace perdure::graph
