// Merges parallel edges of an adjacency list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/edge_column.hpp>
#include <perdure/workload/parallel.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perdure::graph {

/// Treatment of edges between the same vertices.
enum class duplicate_edges : std::uint8_t {
  keep,   ///< each is an edge
  sum,    ///< one edge with the sum of their weights and the latest time
  last,   ///< the one that was added last
  error,  ///< there must be none
};

/// Makes one edge of those between the same vertices (in an undirected graph, in either order), as `how`
/// says. Neighbour lists are sorted by id afterwards, unless `how` is `keep` or `error`. `error` throws
/// `errc::bad_input` with the ids of the first such edge and leaves the graph unchanged. O(vertices + edges
/// log degree). No other thread may use the graph meanwhile.
template <container_family Family>
void merge_duplicates(adjacency_list<Family>& graph, const edge_columns<Family>& columns, duplicate_edges how,
                      unsigned threads) {
  if (how == duplicate_edges::keep) return;
  std::mutex mutex;
  std::optional<std::pair<vertex_id, vertex_id>> first;
  std::uint64_t arcs = 0;
  std::uint64_t loops = 0;
  const auto merge_bank = [&](std::size_t i) {
    std::uint64_t arcs_here = 0;
    std::uint64_t loops_here = 0;
    std::vector<std::size_t> order;
    std::vector<vertex_id> ids;
    std::vector<double> numbers;
    for (auto& [v, neighbours] : graph.bank(i)) {
      order.resize(neighbours.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&n = neighbours](std::size_t a, std::size_t b) { return n[a] < n[b]; });
      ids.assign(neighbours.begin(), neighbours.end());
      const auto same_as_next = [&](std::size_t k) {
        return k + 1 < order.size() && ids[order[k]] == ids[order[k + 1]];
      };
      if (how == duplicate_edges::error) {
        for (std::size_t k = 0; k < order.size(); ++k) {
          if (!same_as_next(k)) continue;
          const std::lock_guard lock(mutex);
          const std::pair<vertex_id, vertex_id> here(v, ids[order[k]]);
          if (!first || here < *first) first = here;
          break;
        }
        continue;
      }
      std::size_t kept = 0;
      for (std::size_t k = 0; k < order.size(); ++k)
        if (!same_as_next(k)) neighbours[kept++] = ids[order[k]];
      const auto merge_column = [&, vertex = v](edge_column<Family>* column, bool add) {
        if (column == nullptr || order.empty()) return;
        auto& list = column->list_of(column->bank(i), vertex);
        list.resize(order.size(), column->missing());
        numbers.assign(list.begin(), list.end());
        std::size_t to = 0;
        for (std::size_t k = 0; k < order.size(); ++k) {
          double value = numbers[order[k]];
          for (; same_as_next(k); ++k) {
            const double next = numbers[order[k + 1]];
            value = how == duplicate_edges::last ? next : add ? value + next : std::max(value, next);
          }
          list[to++] = value;
        }
        list.resize(to);
      };
      merge_column(columns.weights, true);
      merge_column(columns.times, false);
      neighbours.resize(kept);
      arcs_here += kept;
      loops_here += static_cast<std::uint64_t>(std::count(neighbours.begin(), neighbours.end(), v));
    }
    const std::lock_guard lock(mutex);
    arcs += arcs_here;
    loops += loops_here;
  };
  workload::parallel_for(threads, bank_count, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) merge_bank(i);
  });
  if (first)
    throw error(errc::bad_input, "the edge from " + std::to_string(first->first) + " to " +
                                     std::to_string(first->second) + " is there several times");
  if (how != duplicate_edges::error) graph.set_counts(graph.undirected() ? (arcs + loops) / 2 : arcs, loops);
}

}  // namespace perdure::graph
