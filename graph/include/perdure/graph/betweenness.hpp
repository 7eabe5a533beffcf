// Betweenness: the number of shortest paths that a vertex lies on.
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
#include <perdure/graph/detail/path_count.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/parallel.hpp>
#include <queue>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace perdure::graph {

/// Options of `betweenness`.
struct betweenness_options {
  /// Number of vertices, drawn at random, from which paths are followed. The scores are scaled up to all
  /// vertices. 0: all vertices, which is exact.
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;  ///< seed of the random choice
  unsigned threads = 1;    ///< number of threads
};

/// Answer of `betweenness`.
struct betweenness_result {
  std::vector<double> scores;          ///< score of each vertex
  std::vector<vertex_handle> sources;  ///< vertices from which paths were followed
};

namespace detail {

/// The work of one thread: paths from one vertex after the other. Their numbers are floating point
/// numbers while these are large enough.
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
    if (find_paths(source, paths_)) {
      share_out(source, paths_);
    } else {
      many_paths_.resize(rows_.size());
      find_paths(source, many_paths_);
      share_out(source, many_paths_);
    }
  }
  const std::vector<double>& scores() const noexcept { return scores_; }

 private:
  static constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();
  // The sum of as many of these as a vertex has neighbours is a number too.
  static constexpr double most_paths = 0x1p900;

  /// False, and all as it was: there are more than such numbers count.
  template <class Count>
  bool find_paths(vertex_handle source, std::vector<Count>& paths) {
    order_.assign(1, source);
    distances_[source] = 0;
    paths[source] = Count(1);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const vertex_handle v = order_[i];
      if constexpr (std::is_floating_point_v<Count>) {
        if (!(paths[v] < most_paths)) {
          for (const vertex_handle u : order_) forget(u, paths);
          order_.clear();
          return false;
        }
      }
      for (const vertex_handle u : rows_.neighbours(v)) {
        if (distances_[u] == unknown) {
          distances_[u] = distances_[v] + 1;
          order_.push_back(u);
        }
        if (distances_[u] == distances_[v] + 1) paths[u] += paths[v];
      }
    }
    return true;
  }

  /// From the far end: of each vertex, what part of the paths to those behind it goes through it.
  template <class Count>
  void share_out(vertex_handle source, std::vector<Count>& paths) {
    while (!order_.empty()) {
      const vertex_handle v = order_.back();
      order_.pop_back();
      double share = 0;
      for (const vertex_handle u : rows_.neighbours(v))
        if (distances_[u] == distances_[v] + 1) share += paths[v] / paths[u] * (1 + shares_[u]);
      shares_[v] = share;
      if (v != source) scores_[v] += share;
      done_.push_back(v);
    }
    for (const vertex_handle v : done_) forget(v, paths);
    done_.clear();
  }

  template <class Count>
  void forget(vertex_handle v, std::vector<Count>& paths) {
    distances_[v] = unknown;
    paths[v] = Count(0);
    shares_[v] = 0;
  }

  const Rows& rows_;
  std::vector<double> scores_;
  std::vector<std::uint32_t> distances_;
  std::vector<double> paths_;
  std::vector<path_count> many_paths_;  // empty until a source needs it
  std::vector<double> shares_;
  std::vector<vertex_handle> order_;
  std::vector<vertex_handle> done_;
};

/// The scores by their definition, one source after the other.
template <graph_view Graph>
std::vector<double> scores_by_definition(const Graph& graph, const std::vector<vertex_handle>& sources) {
  std::vector<double> scores(graph.size());
  std::vector<std::uint64_t> levels(graph.size());  // counted from 1; 0: not reached
  std::vector<path_count> paths(graph.size());
  std::vector<double> shares(graph.size());
  std::vector<vertex_handle> next;
  const auto distinct_neighbours = [&](vertex_handle v) -> const std::vector<vertex_handle>& {
    next.clear();
    for (const vertex_handle u : graph.neighbours(v)) next.push_back(u);
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    return next;
  };
  for (const vertex_handle source : sources) {
    levels.assign(graph.size(), 0);
    paths.assign(graph.size(), path_count());
    shares.assign(graph.size(), 0);
    levels[source] = 1;
    paths[source] = path_count(1);
    std::vector<vertex_handle> order{source};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const vertex_handle v = order[i];
      for (const vertex_handle u : distinct_neighbours(v)) {
        if (levels[u] == 0) {
          levels[u] = levels[v] + 1;
          order.push_back(u);
        }
        if (levels[u] == levels[v] + 1) paths[u] += paths[v];
      }
    }
    for (std::size_t i = order.size(); i-- > 1;) {
      const vertex_handle v = order[i];
      for (const vertex_handle u : distinct_neighbours(v))
        if (levels[u] == levels[v] + 1) shares[v] += paths[v] / paths[u] * (1 + shares[u]);
      scores[v] += shares[v];
    }
  }
  return scores;
}

}  // namespace detail

/// Computes the betweenness of every vertex. The score of a vertex sums, over all pairs of other vertices,
/// the share of the shortest paths between the pair that pass through it. In an undirected graph each pair
/// counts once. Weights, loops and parallel edges are ignored.
///
/// Method: Brandes, "A faster algorithm for betweenness centrality" (2001). Each thread follows the paths of
/// its own source vertices.
///
/// Cost: O(vertices × (vertices + arcs)), with samples O(samples × (vertices + arcs)); 32 bytes for each
/// vertex and thread. Throws `std::bad_alloc`.
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
      begin_progress_stage("following paths", result.sources.size(), "sources");
      workload::run_threads(threads, [&](unsigned index) {
        for (;;) {
          workload::end_if_cancelled();
          const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
          if (i >= result.sources.size()) return;
          counters[index].count_from(result.sources[i]);
          add_progress(1);
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

/// Checks scores. Returns a sentence about the first fault, or nothing. Counts the paths again, with
/// exponents beyond those of `double`. The sum of all scores must be the sum of the lengths of all shortest
/// paths, each less 1, since a path passes through so many vertices. One thread, O(sources × (vertices + arcs
/// log arcs)).
template <graph_view Graph>
std::optional<std::string> verify_betweenness(const Graph& graph, const betweenness_result& found) {
  if (found.scores.size() != graph.size()) return "there is not one score for each vertex";
  if (found.sources.empty()) return std::nullopt;
  double inner_vertices = 0;
  std::vector<std::uint64_t> levels;
  for (const vertex_handle source : found.sources) {
    levels.assign(graph.size(), 0);  // counted from 1
    std::queue<vertex_handle> waiting;
    levels[source] = 1;
    for (waiting.push(source); !waiting.empty(); waiting.pop()) {
      const vertex_handle v = waiting.front();
      if (levels[v] > 2) inner_vertices += static_cast<double>(levels[v] - 2);
      for (const vertex_handle u : graph.neighbours(v)) {
        if (levels[u] != 0) continue;
        levels[u] = levels[v] + 1;
        waiting.push(u);
      }
    }
  }
  const double scale = (graph.symmetric() ? 0.5 : 1.0) * static_cast<double>(graph.size()) /
                       static_cast<double>(found.sources.size());
  const auto agree = [](double one, double other) {
    return std::abs(one - other) <= 1e-9 * std::max(1.0, other);
  };
  const std::vector<double> expected = detail::scores_by_definition(graph, found.sources);
  double sum = 0;
  for (std::size_t v = 0; v < found.scores.size(); ++v) {
    sum += found.scores[v];
    if (!agree(found.scores[v], expected[v] * scale))
      return "the score of vertex number " + std::to_string(v) + " is " + std::to_string(found.scores[v]) +
             ", and should be " + std::to_string(expected[v] * scale);
  }
  if (!agree(sum, inner_vertices * scale))
    return "the sum of all scores is " + std::to_string(sum) + ", and should be " +
           std::to_string(inner_vertices * scale);
  return std::nullopt;
}

}  // namespace perdure::graph
