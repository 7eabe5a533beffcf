// The graph that communities are looked for in: the underlying simple graph with weights, and the graphs
// whose vertices are communities.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <perdure/graph/detail/merged_ends.hpp>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/detail/weighted_arcs.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <span>
#include <utility>
#include <vector>

namespace perdure::graph::detail {

/// Throws `invalid_argument`: communities are asked for where an arc's weight is negative, infinite or no
/// number.
[[noreturn]] void throw_bad_community_weight(double weight);
/// Collective. Returns the weights of a rank's arcs as whole numbers, so that their sum does not depend on
/// the order of adding: the same ones where all ranks' are whole and their sum is below 2^53, else multiplied
/// by a power of 2 with which the sum of all is below 2^60, and rounded. Throws `invalid_argument` where the
/// sum of all is above 1.8e308.
std::vector<std::uint64_t> whole_weights(std::span<const double> weights, rank_exchange& ranks);

/// On a rank of several, the rows of its own vertices.
struct community_graph {
  rank_plan plan;
  mirror_table mirrors;
  held_span<std::uint64_t> offsets{std::vector<std::uint64_t>{0}};
  held_span<vertex_handle> targets;    // own vertices, then ghosts; each neighbour is once in its row
  std::vector<std::uint64_t> weights;  // by `whole_weights`; empty: each is 1
  std::vector<std::uint64_t>
      loops;  // twice the weight within the communities that vertices were; empty: nothing
  std::vector<std::uint64_t> volumes;  // by vertex: the weight of all its edges, of those within it twice

  std::size_t size() const noexcept { return offsets.size() - 1; }

  /// Calls `visit(u, weight)` for each neighbour of a vertex.
  template <class Visit>
  void each_neighbour(vertex_handle v, Visit&& visit) const {
    const std::uint64_t end = offsets[v + std::size_t{1}];
    for (std::uint64_t i = offsets[v]; i < end; ++i) visit(targets[i], weights.empty() ? 1 : weights[i]);
  }
  /// Sets the volumes, when everything else is there.
  void add_up_volumes(unsigned threads) {
    volumes.resize(size());
    each_vertex(threads, size(), [this](vertex_handle v) {
      std::uint64_t sum = loops.empty() ? 0 : loops[v];
      each_neighbour(v, [&sum](vertex_handle, std::uint64_t weight) { sum += weight; });
      volumes[v] = sum;
    });
  }

  /// Collective. Makes one of a rank's part of a graph: without loops, several arcs to the same neighbour as
  /// one, with the sum of their weights. Uses the rows where they are if they have neither weights nor such
  /// arcs. Throws `invalid_argument` on all ranks where a weight is negative or no number.
  static community_graph of(const rank_graph& graph, rank_exchange& ranks, unsigned threads);
  /// Makes one of rows with numbers of the whole graph, whose neighbours are there once. `weights` and
  /// `loops` are as the members.
  static community_graph of(std::vector<std::uint64_t> bounds, int rank, std::vector<std::uint64_t> offsets,
                            const std::vector<vertex_id>& targets, std::vector<std::uint64_t> weights,
                            std::vector<std::uint64_t> loops, unsigned threads);

  template <graph_view Graph>
  static community_graph of(const Graph& graph, unsigned threads) {
    return knows_weights(graph) ? weighted(graph, threads) : unweighted(graph, threads);
  }

 private:
  template <graph_view Graph>
  static community_graph unweighted(const Graph& graph, unsigned threads) {
    std::vector<std::uint64_t> offsets{0};
    std::vector<vertex_handle> targets;
    on_simple_graph(graph, threads, [&](const auto& rows) {
      offsets.resize(rows.size() + 1);
      for (std::size_t v = 0; v < rows.size(); ++v)
        offsets[v + 1] = offsets[v] + rows.degree(static_cast<vertex_handle>(v));
      targets.resize(offsets.back());
      each_vertex(threads, rows.size(), [&](vertex_handle v) {
        const auto row = rows.neighbours(v);
        std::copy(row.begin(), row.end(), targets.begin() + static_cast<std::ptrdiff_t>(offsets[v]));
      });
    });
    return lone(std::move(offsets), std::move(targets), {}, threads);
  }

  template <graph_view Graph>
  static community_graph weighted(const Graph& graph, unsigned threads) {
    struct end {
      vertex_handle target;
      double weight;
    };
    const std::size_t size = graph.size();
    const bool symmetric = graph.symmetric();
    const auto each_arc = [&](vertex_handle v, auto&& emit) {
      visit_weighted(graph, v, [&](vertex_handle u, double weight) {
        if (!(weight >= 0 && weight <= std::numeric_limits<double>::max()))
          throw_bad_community_weight(weight);
        if (u == v) return;
        emit(v, end{u, weight});
        if (!symmetric) emit(u, end{v, weight});
      });
    };
    // As in neighbour_rows::collect.
    std::vector<std::uint64_t> begins(size + 2);
    each_vertex(threads, size, [&](vertex_handle v) {
      each_arc(v, [&](vertex_handle row, const end&) {
        std::atomic_ref(begins[row + std::size_t{2}]).fetch_add(1, std::memory_order_relaxed);
      });
    });
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<end> ends(begins.back());
    each_vertex(threads, size, [&](vertex_handle v) {
      each_arc(v, [&](vertex_handle row, const end& one) {
        ends[std::atomic_ref(begins[row + std::size_t{1}]).fetch_add(1, std::memory_order_relaxed)] = one;
      });
    });
    // Ordered, and those with the same target added up.
    std::vector<std::uint64_t> offsets(size + 1);
    each_vertex(threads, size, [&](vertex_handle v) {
      const std::span<end> row(ends.data() + begins[v], ends.data() + begins[v + std::size_t{1}]);
      offsets[v + std::size_t{1}] = merge_ends(row);
    });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<vertex_handle> targets(offsets.back());
    std::vector<double> weights(offsets.back());
    each_vertex(threads, size, [&](vertex_handle v) {
      for (std::uint64_t i = offsets[v]; i < offsets[v + std::size_t{1}]; ++i) {
        const end& one = ends[begins[v] + (i - offsets[v])];
        targets[i] = one.target;
        weights[i] = one.weight;
      }
    });
    lone_exchange alone;
    return lone(std::move(offsets), std::move(targets), whole_weights(weights, alone), threads);
  }

  static community_graph lone(std::vector<std::uint64_t> offsets, std::vector<vertex_handle> targets,
                              std::vector<std::uint64_t> weights, unsigned threads) {
    community_graph made;
    made.plan = rank_plan::lone(offsets.size() - 1);
    made.offsets = std::move(offsets);
    made.targets = std::move(targets);
    made.weights = std::move(weights);
    made.add_up_volumes(threads);
    return made;
  }
};

}  // namespace perdure::graph::detail
