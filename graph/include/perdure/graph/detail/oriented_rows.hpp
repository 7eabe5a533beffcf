// The underlying simple graph with each edge in one row only, as triangles are found by.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <utility>
#include <vector>

namespace perdure::graph::detail {

/// Vertices are numbered anew, by falling number of neighbours: their *ranks*. An edge is in the row of its
/// end with the higher rank, that with fewer neighbours. So no row is longer than the square root of twice
/// the edges, and those that many rows name have small numbers, which lie together.
struct oriented_rows {
  neighbour_rows rows;                  // by rank, of smaller ranks
  std::vector<vertex_handle> vertices;  // by rank

  template <graph_view Graph>
  oriented_rows(const Graph& graph, unsigned threads) {
    begin_progress_stage("ordering edges");
    const std::size_t size = graph.size();
    const bool symmetric = graph.symmetric();
    std::vector<std::uint64_t> degrees(size);
    each_vertex(threads, size, [&](vertex_handle v) {
      std::atomic_ref(degrees[v]).fetch_add(graph.degree(v), std::memory_order_relaxed);
      if (symmetric) return;
      for (const vertex_handle u : graph.neighbours(v))
        std::atomic_ref(degrees[u]).fetch_add(1, std::memory_order_relaxed);
    });
    order_by(degrees);
    std::vector<vertex_handle> ranks(size);
    each_vertex(threads, size, [&](vertex_handle rank) { ranks[vertices[rank]] = rank; });
    rows = neighbour_rows::collect(size, threads, [&](vertex_handle rank, auto&& emit) {
      for (const vertex_handle u : graph.neighbours(vertices[rank])) {
        const vertex_handle other = ranks[u];
        if (other < rank) {
          emit(rank, other);
        } else if (!symmetric && other > rank) {
          emit(other, rank);
        }
      }
    });
    rows.normalise(threads);
  }

  /// Calls `pair(marks, a, b, row)` of a worker, of which each thread makes itself one, for all edges, a > b:
  /// it closes a triangle with those ranks of `row`, that of b, whose bit in `marks` is set. All calls with
  /// the same a are one thread's.
  template <class MakeWorker>
  void each_pair(unsigned threads, MakeWorker&& make_worker) const {
    constexpr std::size_t grain = 256;
    begin_progress_stage("closing triangles", rows.size(), "vertices");
    std::atomic<std::size_t> next{0};
    workload::run_threads(std::max(1U, threads), [&](unsigned) {
      auto worker = make_worker();
      std::vector<std::uint64_t> marks(rows.size() / 64 + 1);
      for (;;) {
        workload::end_if_cancelled();
        const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= rows.size()) return;
        for (std::size_t a = begin; a < std::min(begin + grain, rows.size()); ++a) {
          const std::span<const vertex_handle> row = rows.neighbours(static_cast<vertex_handle>(a));
          if (row.size() < 2) continue;
          for (const vertex_handle b : row) marks[b / 64] |= std::uint64_t{1} << (b % 64);
          for (const vertex_handle b : row)
            worker.pair(marks.data(), static_cast<vertex_handle>(a), b, rows.neighbours(b));
          for (const vertex_handle b : row) marks[b / 64] = 0;
        }
        add_progress(std::min(grain, rows.size() - begin));
      }
    });
  }

 private:
  void order_by(const std::vector<std::uint64_t>& degrees) {
    // Of the first vertex of each degree, the largest one first. A simple graph has no degrees beyond its
    // size.
    const auto place_of = [&](std::size_t v) {
      return degrees.size() - std::min<std::uint64_t>(degrees[v], degrees.size());
    };
    std::vector<vertex_handle> places(degrees.size() + 2);
    for (std::size_t v = 0; v < degrees.size(); ++v) ++places[place_of(v) + 1];
    std::partial_sum(places.begin(), places.end(), places.begin());
    vertices.resize(degrees.size());
    for (std::size_t v = 0; v < degrees.size(); ++v)
      vertices[places[place_of(v)]++] = static_cast<vertex_handle>(v);
  }
};

}  // namespace perdure::graph::detail
