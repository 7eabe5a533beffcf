// Iterates PageRank so that no sum depends on how the graph is divided.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <perdure/graph/ranks/rank_pagerank.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/counted_random.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <utility>
#include <vector>

#include "ranks/fixed_point_sum.hpp"
#include "ranks/ghost_values.hpp"
#include "ranks/sound_rows.hpp"

namespace perdure::graph {
namespace detail {
namespace {

/// All functions are collective.
class divided_iterations {
 public:
  divided_iterations(const rank_graph& rows, rank_exchange& ranks, const pagerank_options& options)
      : rows_(rows),
        ranks_(ranks),
        options_(options),
        vertices_(static_cast<double>(rows.vertices())),
        shares_(rows.places()) {
    result_.ranks.assign(rows.size(), 1 / vertices_);
    result_.precision = pagerank_precision;
  }

  pagerank_result run() {
    totals before = sums([this](vertex_handle v, totals& sum) { sum.add(0, dangling(v)); });
    while (result_.iterations < options_.iterations) {
      begin_progress_round("iteration");
      exchange_shares();
      const double base = (1 - options_.damping + options_.damping * before.dangling.value()) / vertices_;
      before = sums([&](vertex_handle v, totals& sum) {
        const double rank = base + sum_at(rows_.neighbours(v), shares_);
        const double change = std::abs(rank - result_.ranks[v]);
        result_.ranks[v] = rank;
        sum.add(change, dangling(v));
      });
      result_.change = before.change.value();
      ++result_.iterations;
      if (result_.change <= options_.tolerance) break;
    }
    return std::move(result_);
  }

 private:
  static constexpr std::size_t vertices_of_piece = 1024;

  struct totals {
    fixed_point_sum change;
    fixed_point_sum dangling;  // what vertices without arcs have, which is spread over all

    void add(double more_change, double more_dangling) noexcept {
      change.add(more_change);
      dangling.add(more_dangling);
    }
  };

  double dangling(vertex_handle v) const noexcept { return rows_.degree(v) == 0 ? result_.ranks[v] : 0; }

  /// Sets what each own vertex and each ghost gives to the end of each of its arcs.
  void exchange_shares() {
    each_vertex(options_.threads, rows_.size(), [this](vertex_handle v) {
      const auto degree = static_cast<double>(rows_.degree(v));
      shares_[v] = degree == 0 ? 0 : options_.damping * result_.ranks[v] / degree;
    });
    if (ranks_.size() == 1) return;
    exchange_with_ghosts<double>(
        rows_.plan(), ranks_, [this](vertex_handle v) { return shares_[v]; },
        [this](vertex_handle ghost, double share) { shares_[ghost] = share; });
  }

  /// Returns the sums over all ranks of what `visit(v, sum)` adds for each vertex.
  template <class Visit>
  totals sums(Visit&& visit) {
    totals all;
    workload::parallel_for(options_.threads, rows_.size(), vertices_of_piece,
                           [&](std::size_t begin, std::size_t end) {
                             totals part;
                             for (std::size_t v = begin; v < end; ++v)
                               visit(static_cast<vertex_handle>(v), part);
                             all.change.add(part.change);
                             all.dangling.add(part.dangling);
                           });
    const auto change = all.change.words();
    const auto dangling = all.dangling.words();
    std::array<std::uint64_t, 4> words{change[0], change[1], dangling[0], dangling[1]};
    ranks_.add_up(words);
    const std::span<const std::uint64_t, 4> summed(words);
    return {fixed_point_sum::of_words(summed.first<2>()), fixed_point_sum::of_words(summed.last<2>())};
  }

  const rank_graph& rows_;
  rank_exchange& ranks_;
  const pagerank_options& options_;
  double vertices_;             // of the whole graph
  std::vector<double> shares_;  // by own vertex and ghost
  pagerank_result result_;
};

}  // namespace
}  // namespace detail

pagerank_result pagerank(const rank_graph& graph, rank_exchange& ranks, const pagerank_options& options) {
  detail::require_part(graph, ranks);
  std::uint64_t given =
      workload::random_number(options.iterations, std::bit_cast<std::uint64_t>(options.damping));
  given = workload::random_number(given, std::bit_cast<std::uint64_t>(options.tolerance));
  detail::require_same(given, ranks, "options of PageRank");
  detail::require_pagerank_options(options);
  if (graph.vertices() == 0) return {};
  return detail::divided_iterations(graph, ranks, options).run();
}

}  // namespace perdure::graph
