// Core numbers (k-cores).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <perdure/graph/detail/lower_above.hpp>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/detail/smallest_first.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace perdure::graph {

/// Answer of `core_numbers`.
struct core_result {
  /// Core number of each vertex: the largest k such that the k-core has it.
  std::vector<std::uint32_t> cores;
  std::vector<std::uint64_t> histogram;  ///< by k: number of vertices with core number k
};

namespace detail {

/// Takes vertices away in the order of their degrees. `rows` is a simple graph, `degrees` are those of its
/// vertices, and become the numbers of their cores.
template <class Rows>
class core_peeling {
 public:
  core_peeling(const Rows& rows, std::span<std::uint32_t> degrees, unsigned threads)
      : rows_(rows), degrees_(degrees), threads_(std::max(1U, threads)), left_(rows.size()) {
    std::iota(left_.begin(), left_.end(), vertex_handle{0});
  }

  void run() {
    for (find_next(); !going_.empty(); find_next()) {
      begin_progress_round("peeling round");
      workload::parallel_for(threads_, going_.size(), 64, [this](std::size_t begin, std::size_t end) {
        std::vector<vertex_handle> going(going_.begin() + static_cast<std::ptrdiff_t>(begin),
                                         going_.begin() + static_cast<std::ptrdiff_t>(end));
        while (!going.empty()) {
          const vertex_handle v = going.back();
          going.pop_back();
          take_away(v, going);
        }
      });
    }
  }

 private:
  /// A vertex that has k neighbours keeps that number, which is its core's; those that its going leaves with
  /// k follow at once, by the same thread.
  void take_away(vertex_handle v, std::vector<vertex_handle>& going) {
    for (const vertex_handle u : rows_.neighbours(v))
      if (lower_above(k_, degrees_[u])) going.push_back(u);
  }

  struct seen {
    std::vector<vertex_handle> left;
    std::vector<vertex_handle> going;  // those of the smallest degree
    std::uint32_t smallest = std::numeric_limits<std::uint32_t>::max();
  };

  /// Drops vertices that have gone, and finds those that go next.
  void find_next() {
    std::vector<seen> parts(threads_);
    std::atomic<std::size_t> next{0};
    workload::run_threads(threads_, [&](unsigned index) {
      constexpr std::size_t grain = 1 << 14;
      seen& part = parts[index];
      for (;;) {
        const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= left_.size()) return;
        for (std::size_t i = begin; i < std::min(begin + grain, left_.size()); ++i) {
          const vertex_handle v = left_[i];
          const std::uint32_t degree = degrees_[v];
          if (has_begun_ && degree <= k_) continue;
          part.left.push_back(v);
          if (degree < part.smallest) part.going.clear();
          part.smallest = std::min(part.smallest, degree);
          if (degree == part.smallest) part.going.push_back(v);
        }
      }
    });
    has_begun_ = true;
    left_.clear();
    going_.clear();
    k_ = std::numeric_limits<std::uint32_t>::max();
    for (const seen& part : parts) k_ = std::min(k_, part.smallest);
    for (const seen& part : parts) {
      left_.insert(left_.end(), part.left.begin(), part.left.end());
      if (part.smallest == k_) going_.insert(going_.end(), part.going.begin(), part.going.end());
    }
  }

  const Rows& rows_;
  std::span<std::uint32_t> degrees_;
  const unsigned threads_;
  std::vector<vertex_handle> left_;
  std::vector<vertex_handle> going_;
  std::uint32_t k_ = 0;
  bool has_begun_ = false;
};

}  // namespace detail

/// Computes the core number of every vertex. The *k-core* is what remains of the underlying simple graph when
/// vertices with fewer than k neighbours are removed until there are none. The core number of a vertex is the
/// largest k whose core has it, 0 for a vertex without neighbours.
///
/// Method: all threads, k by k, after Kabir, Madduri: "Parallel k-core decomposition on multicore platforms"
/// (2017). O(vertices + arcs), and 8 bytes for each vertex. A graph that is not simple, or whose lists are
/// not sorted, takes 4 to 8 bytes more for each arc.
template <class Graph>
core_result core_numbers(const Graph& graph, unsigned threads = 1) {
  core_result result;
  if constexpr (require_graph_view<Graph>()) {
    result.cores.resize(graph.size());
    detail::on_simple_graph(graph, threads, [&](const auto& rows) {
      detail::each_vertex(threads, rows.size(), [&](vertex_handle v) {
        result.cores[v] = static_cast<std::uint32_t>(rows.degree(v));
      });
      detail::core_peeling(rows, result.cores, threads).run();
    });
    for (const std::uint32_t k : result.cores) {
      if (result.histogram.size() <= k) result.histogram.resize(k + std::size_t{1});
      ++result.histogram[k];
    }
  }
  return result;
}

/// Checks core numbers. Returns a sentence about the first fault, or nothing. Removes one vertex after the
/// other, the one with the fewest neighbours first, by one thread. O(vertices + arcs), 32 bytes for each
/// vertex, and up to 8 for each arc.
template <graph_view Graph>
std::optional<std::string> verify_core_numbers(const Graph& graph, std::span<const std::uint32_t> cores) {
  if (cores.size() != graph.size()) return "there is not one number for each vertex";
  const detail::neighbour_rows rows = detail::simple_rows(graph, 1);
  std::vector<std::uint32_t> degrees(graph.size());
  for (std::size_t v = 0; v < graph.size(); ++v)
    degrees[v] = static_cast<std::uint32_t>(rows.degree(static_cast<vertex_handle>(v)));
  for (detail::smallest_first left(std::move(degrees)); !left.is_empty();) {
    const auto [v, core] = left.take();
    if (cores[v] != core)
      return "vertex number " + std::to_string(v) + " is said to be in the " + std::to_string(cores[v]) +
             "-core, and is in the " + std::to_string(core) + "-core";
    for (const vertex_handle u : rows.neighbours(static_cast<vertex_handle>(v)))
      if (!left.is_taken(u)) left.lower(u);
  }
  return std::nullopt;
}

}  // namespace perdure::graph
