// PageRank.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/parallel.hpp>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace perdure::graph {

/// Options of `pagerank`.
struct pagerank_options {
  double damping = 0.85;  ///< probability of following an arc instead of jumping to a random vertex
  /// Stop when the ranks of all vertices together change by no more than this in one iteration. The ranks of
  /// all vertices together then differ from the exact ones by no more than `2 * damping / (1 - damping)`
  /// times as much (docs/reference/graph.md).
  double tolerance = 1e-10;
  unsigned iterations = 1000;  ///< stop after this many iterations
  unsigned threads = 1;        ///< number of threads
};

/// Answer of `pagerank`.
struct pagerank_result {
  std::vector<double> ranks;  ///< rank of each vertex; the sum is 1
  unsigned iterations = 0;    ///< number of iterations
  double change = 0;          ///< change of all ranks together in the last iteration
  double precision = 0;       ///< bound of the rounding errors of all ranks together
};

namespace detail {

/// How wrong all ranks together may be by rounding, in double precision.
inline constexpr double pagerank_precision = 1e-12;

/// Throws `invalid_argument`.
void require_pagerank_options(const pagerank_options& options);

/// The sum of `values`, which other threads may change, at all vertices of a range.
template <class Range, class Value>
double sum_at(const Range& range, std::vector<Value>& values) {
  const auto value = [at = values.data()](vertex_handle u) {
    return std::atomic_ref(at[u]).load(std::memory_order_relaxed);
  };
  double sum = 0;
  if constexpr (std::ranges::contiguous_range<const Range>) {
    // Four sums side by side: an addition need not wait for the one before. Short ones, for the sake of
    // single precision.
    constexpr std::size_t most = 256;
    const auto* at = std::ranges::data(range);
    for (std::size_t left = std::ranges::size(range); left != 0;) {
      std::size_t here = std::min(left, most);
      left -= here;
      Value a = 0;
      Value b = 0;
      Value c = 0;
      Value d = 0;
      for (; here >= 4; here -= 4, at += 4) {
        a += value(at[0]);
        b += value(at[1]);
        c += value(at[2]);
        d += value(at[3]);
      }
      for (; here != 0; --here, ++at) a += value(*at);
      sum += static_cast<double>((a + b) + (c + d));
    }
  } else if constexpr (requires { range.second(); }) {
    sum = sum_at(range.first(), values);
    if (!range.second().empty()) sum += sum_at(range.second(), values);
  } else {
    for (const vertex_handle u : range) sum += static_cast<double>(value(u));
  }
  return sum;
}

/// One iteration after the other, in place: a vertex's new rank counts at once for those that come later in
/// the same iteration, which then are about half as many as with ranks of the iteration before.
///
/// In place the sum of all ranks does not stay 1, and would come back to it slower than all else. So ranks
/// are kept as multiples of their sum, and what each vertex is given is the same part of that: no rank need
/// be divided by the sum before the end.
template <graph_view Graph, class Incoming>
class pagerank_iterations {
 public:
  pagerank_iterations(const Graph& graph, const Incoming& incoming, const pagerank_options& options)
      : graph_(graph),
        incoming_(incoming),
        options_(options),
        ranks_(graph.size(), 1.0 / static_cast<double>(graph.size())) {}

  pagerank_result run() {
    // In single precision half as much memory is gone through. Each of the sums in `sum_at` is then right to
    // 64 roundings at worst.
    constexpr double enough_for_float = 1e-5;
    result_.precision = 66 * 0x1p-24;
    iterate_until<float>(std::max(options_.tolerance, enough_for_float));
    if (options_.tolerance < enough_for_float && result_.iterations < options_.iterations) {
      result_.precision = pagerank_precision;
      iterate_until<double>(options_.tolerance);
    }
    normalise();
    result_.ranks = std::move(ranks_);
    return std::move(result_);
  }

 private:
  static constexpr std::size_t grain = 1024;

  struct totals {
    double change = 0;
    double ranks = 0;
    totals& operator+=(const totals& more) noexcept {
      change += more.change;
      ranks += more.ranks;
      return *this;
    }
  };

  /// Returns the rank that a vertex adds to the end of each of its arcs.
  double share_of(vertex_handle v) const {
    const auto degree = static_cast<double>(graph_.degree(v));
    return degree == 0 ? 0 : options_.damping * ranks_[v] / degree;
  }

  /// Returns the ranks of all vertices without arcs together, which are spread over all vertices.
  double dangling() const {
    return sum<double>([this](vertex_handle v) { return graph_.degree(v) == 0 ? ranks_[v] : 0; });
  }

  template <class Share>
  void iterate_until(double tolerance) {
    std::vector<Share> shares(graph_.size());
    each_vertex(options_.threads, graph_.size(),
                [&](vertex_handle v) { shares[v] = static_cast<Share>(share_of(v)); });
    while (result_.iterations < options_.iterations) {
      begin_progress_round("iteration");
      result_.change = iterate(shares);
      ++result_.iterations;
      if (result_.change <= tolerance) return;
    }
  }

  template <class Share>
  double iterate(std::vector<Share>& shares) {
    const auto vertices = static_cast<double>(graph_.size());
    const double base = ((1 - options_.damping) * sum_of_ranks_ + options_.damping * dangling()) / vertices;
    const totals all = sum<totals>([&](vertex_handle v) {
      const double rank = base + sum_at(incoming_.neighbours(v), shares);
      const double change = std::abs(rank - ranks_[v]);
      ranks_[v] = rank;
      std::atomic_ref(shares[v]).store(static_cast<Share>(share_of(v)), std::memory_order_relaxed);
      return totals{change, rank};
    });
    return all.change / std::exchange(sum_of_ranks_, all.ranks);
  }

  void normalise() {
    const double all = sum<double>([this](vertex_handle v) { return ranks_[v]; });
    each_vertex(options_.threads, graph_.size(), [this, all](vertex_handle v) { ranks_[v] /= all; });
  }

  /// Sums `value(v)` over all vertices.
  template <class Sum, class Value>
  Sum sum(Value&& value) const {
    const std::size_t pieces = graph_.size() / grain + 1;
    std::vector<Sum> parts(pieces);
    workload::parallel_for(options_.threads, graph_.size(), grain, [&](std::size_t begin, std::size_t end) {
      Sum part{};
      for (std::size_t v = begin; v < end; ++v) part += value(static_cast<vertex_handle>(v));
      parts[begin / grain] = part;
    });
    Sum all{};
    for (const Sum& part : parts) all += part;
    return all;
  }

  // A view's members are read at each step: by value they need not be read again after each store.
  const std::conditional_t<std::is_trivially_copyable_v<Graph>, Graph, const Graph&> graph_;
  const std::conditional_t<std::is_trivially_copyable_v<Incoming>, Incoming, const Incoming&> incoming_;
  const pagerank_options& options_;
  std::vector<double> ranks_;
  double sum_of_ranks_ = 1;
  pagerank_result result_;
};

}  // namespace detail

/// Computes the PageRank of every vertex: the probability that a random walk is at the vertex. With
/// probability `damping` a step of the walk follows an arc of the current vertex. All arcs are equally
/// likely, and parallel arcs count separately. Otherwise, and at vertices without arcs, the walk jumps to a
/// random vertex:
///
///     rank(v) = (1 - damping) / n + damping * (sum of rank(u) / degree(u) over arcs u → v
///                                              + sum of rank(u) over vertices u without arcs / n)
///
/// Weights are ignored. With several threads the last digits, which `tolerance` leaves open, differ between
/// runs.
///
/// Method: ranks are updated in place (Gauss-Seidel), which takes about half as many iterations as two
/// alternating arrays. O(arcs) for each iteration, and 16 bytes for each vertex. A directed graph without
/// incoming arcs takes 4 bytes more for each arc.
///
/// Throws `errc::invalid_argument` if `damping` is not in [0, 1), or if `tolerance` is negative or NaN.
template <class Graph>
pagerank_result pagerank(const Graph& graph, const pagerank_options& options = {}) {
  pagerank_result result;
  if constexpr (require_graph_view<Graph>()) {
    detail::require_pagerank_options(options);
    if (graph.size() == 0) return result;
    detail::with_incoming(graph, options.threads, [&](const auto& incoming) {
      result = detail::pagerank_iterations(graph, incoming, options).run();
    });
  }
  return result;
}

/// Checks ranks against the definition, with one thread. Returns a sentence about the fault, or nothing.
/// Allows as much error as the last iteration's `change` and `precision` permit. O(vertices + arcs), and 8
/// bytes for each vertex.
template <graph_view Graph>
std::optional<std::string> verify_pagerank(const Graph& graph, const pagerank_result& found,
                                           double damping = 0.85) {
  if (found.ranks.size() != graph.size()) return "there is not one rank for each vertex";
  if (graph.size() == 0) return std::nullopt;
  const auto vertices = static_cast<double>(graph.size());
  std::vector<double> expected(graph.size());
  double dangling = 0;
  double sum = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    sum += found.ranks[v];
    if (graph.degree(v) == 0) dangling += found.ranks[v];
    for (const vertex_handle u : graph.neighbours(v))
      expected[u] += found.ranks[v] / static_cast<double>(graph.degree(v));
  }
  if (!(std::abs(sum - 1) < 1e-9)) return "the sum of all ranks is " + std::to_string(sum);
  const double allowed = 4 * found.change + found.precision;
  double difference = 0;
  for (std::size_t i = 0; i < graph.size(); ++i)
    difference +=
        std::abs((1 - damping + damping * dangling) / vertices + damping * expected[i] - found.ranks[i]);
  if (!(difference <= allowed))
    return "the ranks differ from what they give their neighbours by " +
           std::to_string(difference / allowed) + " times as much as is allowed";
  return std::nullopt;
}

}  // namespace perdure::graph
