// Betweenness: on how many shortest paths a vertex lies.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/workload/parallel.hpp>
#include <queue>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace perdure::graph {

struct betweenness_options {
  /// From so many vertices, drawn at random, paths are followed; what they find is scaled up. 0: from all,
  /// which is exact.
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  unsigned threads = 1;
};

struct betweenness_result {
  std::vector<double> scores;          ///< by vertex
  std::vector<vertex_handle> sources;  ///< from which paths were followed
};

namespace detail {

/// What one thread works with: paths from one vertex after the other.
template <class Rows>
class path_counter {
 public:
  explicit path_counter(const Rows& rows)
      : rows_(rows),
        scores_(rows.size()),
        distances_(rows.size(), unknown),
        paths_(rows.size()),
        shares_(rows.size()) {}

  void count_from(vertex_handle source) {
    order_.assign(1, source);
    distances_[source] = 0;
    paths_[source] = 1;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const vertex_handle v = order_[i];
      for (const vertex_handle u : rows_.neighbours(v)) {
        if (distances_[u] == unknown) {
          distances_[u] = distances_[v] + 1;
          order_.push_back(u);
        }
        if (distances_[u] == distances_[v] + 1) paths_[u] += paths_[v];
      }
    }
    // From the far end: of each vertex, what part of the paths to those behind it goes through it.
    while (!order_.empty()) {
      const vertex_handle v = order_.back();
      order_.pop_back();
      double share = 0;
      for (const vertex_handle u : rows_.neighbours(v))
        if (distances_[u] == distances_[v] + 1) share += paths_[v] / paths_[u] * (1 + shares_[u]);
      shares_[v] = share;
      if (v != source) scores_[v] += share;
      done_.push_back(v);
    }
    for (const vertex_handle v : done_) {
      distances_[v] = unknown;
      paths_[v] = 0;
      shares_[v] = 0;
    }
    done_.clear();
  }
  const std::vector<double>& scores() const noexcept { return scores_; }

 private:
  static constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();

  const Rows& rows_;
  std::vector<double> scores_;
  std::vector<std::uint32_t> distances_;
  std::vector<double> paths_;
  std::vector<double> shares_;
  std::vector<vertex_handle> order_;
  std::vector<vertex_handle> done_;
};

}  // namespace detail

/// For each vertex the sum, over all pairs of other vertices, of the part of the shortest paths from the one
/// to the other that go through it. Of an undirected graph each pair counts once. Weights, loops and
/// repetitions of arcs play no part.
///
/// Brandes: "A faster algorithm for betweenness centrality" (2001), each thread with paths from vertices of
/// its own. O(vertices * (vertices + arcs)), or samples instead of vertices; 32 bytes for each vertex and
/// thread.
template <class Graph>
betweenness_result betweenness(const Graph& graph, const betweenness_options& options = {}) {
  betweenness_result result;
  if constexpr (require_graph_view<Graph>()) {
    const std::size_t size = graph.size();
    result.scores.resize(size);
    result.sources.resize(size);
    std::iota(result.sources.begin(), result.sources.end(), vertex_handle{0});
    if (options.samples != 0 && options.samples < size) {
      std::mt19937_64 random(options.seed);
      for (std::size_t i = 0; i < options.samples; ++i)
        std::swap(result.sources[i], result.sources[i + random() % (size - i)]);
      result.sources.resize(options.samples);
    }
    if (size == 0) return result;
    const auto threads =
        static_cast<unsigned>(std::min<std::size_t>(std::max(1U, options.threads), result.sources.size()));
    detail::on_distinct_rows(graph, options.threads, [&](const auto& rows) {
      using rows_type = std::remove_cvref_t<decltype(rows)>;
      std::vector<detail::path_counter<rows_type>> counters;
      counters.reserve(threads);
      for (unsigned i = 0; i < threads; ++i) counters.emplace_back(rows);
      std::atomic<std::size_t> next{0};
      workload::run_threads(threads, [&](unsigned index) {
        for (;;) {
          const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
          if (i >= result.sources.size()) return;
          counters[index].count_from(result.sources[i]);
        }
      });
      for (const auto& one : counters)
        for (std::size_t v = 0; v < size; ++v) result.scores[v] += one.scores()[v];
    });
    const double scale = (graph.symmetric() ? 0.5 : 1.0) * static_cast<double>(size) /
                         static_cast<double>(result.sources.size());
    for (double& score : result.scores) score *= scale;
  }
  return result;
}

/// What is wrong with scores, if something is: their sum must be that of the lengths of all shortest paths
/// less 1, since a path goes through so many vertices. By one thread, O(sources * (vertices + arcs)).
template <graph_view Graph>
std::optional<std::string> verify_betweenness(const Graph& graph, const betweenness_result& found) {
  if (found.scores.size() != graph.size()) return "there is not one score for each vertex";
  double expected = 0;
  std::vector<std::uint64_t> levels;
  for (const vertex_handle source : found.sources) {
    levels.assign(graph.size(), 0);  // counted from 1
    std::queue<vertex_handle> waiting;
    levels[source] = 1;
    for (waiting.push(source); !waiting.empty(); waiting.pop()) {
      const vertex_handle v = waiting.front();
      if (levels[v] > 2) expected += static_cast<double>(levels[v] - 2);
      for (const vertex_handle u : graph.neighbours(v)) {
        if (levels[u] != 0) continue;
        levels[u] = levels[v] + 1;
        waiting.push(u);
      }
    }
  }
  if (!found.sources.empty())
    expected *= (graph.symmetric() ? 0.5 : 1.0) * static_cast<double>(graph.size()) /
                static_cast<double>(found.sources.size());
  double sum = 0;
  for (const double score : found.scores) {
    if (!(score >= 0)) return "a score is less than 0";
    sum += score;
  }
  if (!(std::abs(sum - expected) <= 1e-9 * std::max(1.0, expected)))
    return "the sum of all scores is " + std::to_string(sum) + ", and should be " + std::to_string(expected);
  return std::nullopt;
}

}  // namespace perdure::graph
