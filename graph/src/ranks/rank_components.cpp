// Joins the parts of components that ranks see: each with its smallest neighbour that is smaller than itself.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <perdure/graph/detail/component_forest.hpp>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/ranks/rank_components.hpp>
#include <perdure/progress.hpp>
#include <unordered_map>
#include <utility>

#include "ranks/fetched_values.hpp"
#include "ranks/ghost_values.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"
#include "ranks/sound_rows.hpp"

namespace perdure::graph {
namespace detail {
namespace {

/// Parts of components, each called by its smallest vertex. Each rank keeps the edges between parts that it
/// has found; the owner of a part's vertex keeps the part that it was joined with. All functions are
/// collective.
class joined_parts {
 public:
  joined_parts(const rank_graph& rows, rank_exchange& ranks, unsigned threads)
      : plan_(rows.plan()), ranks_(ranks), threads_(threads), roots_(rows.size()), parents_(rows.size()) {
    const component_forest forest(roots_, threads);
    each_vertex(threads, rows.size(), [&](vertex_handle v) {
      for (const vertex_handle u : rows.neighbours(v))
        if (u < rows.size()) forest.link(v, u);
    });
    forest.compress();
    each_vertex(threads, rows.size(), [&](vertex_handle v) { parents_[v] = number(roots_[v]); });
    if (ranks_.size() == 1) return;
    exchange_with_ghosts<vertex_id>(
        plan_, ranks_, [this](vertex_handle v) { return parents_[v]; },
        [this](vertex_handle ghost, vertex_id part) {
          const std::size_t row = ghost - plan_.own();
          for (std::uint64_t i = plan_.ghost_offsets[row]; i < plan_.ghost_offsets[row + 1]; ++i)
            if (const vertex_id own = parents_[plan_.ghost_rows[i]]; own > part)
              edges_.push_back({own, part});
        });
    order_edges();
  }

  /// Joins all parts that have an edge between them.
  ///
  /// In each two rounds at least half of the parts with edges are joined with others: a part that is smaller
  /// than its neighbours is either joined with one of them in the first round, or its neighbours are joined
  /// with parts that are smaller than it, so that it is joined with one of those in the second round.
  void join() {
    if (ranks_.size() == 1) return;
    while (sum_of_all(edges_.size(), ranks_) != 0) {
      begin_progress_round("joining round");
      find_roots(join_with_smallest());
      rename_edges();
    }
    // A part that was a root in one round may have been joined with another one in a later round.
    std::vector<vertex_handle> joined;
    for (vertex_handle v = 0; v < roots_.size(); ++v)
      if (roots_[v] == v && parents_[v] != number(v)) joined.push_back(v);
    find_roots(std::move(joined));
    each_vertex(threads_, roots_.size(), [this](vertex_handle v) {
      if (roots_[v] != v) parents_[v] = parents_[roots_[v]];
    });
  }

  const std::vector<vertex_id>& labels() const noexcept { return parents_; }

 private:
  /// An edge between two parts, which one rank has.
  struct part_edge {
    vertex_id larger;
    vertex_id smaller;
    auto operator<=>(const part_edge&) const = default;
  };

  vertex_id number(vertex_handle own) const noexcept { return plan_.first() + own; }

  void order_edges() {
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  }

  /// Makes of each part with a smaller neighbour a child of the smallest one. Returns those of this rank.
  std::vector<vertex_handle> join_with_smallest() {
    std::vector<vertex_handle> joined;
    const auto propose = [&](const part_edge& edge) {
      const auto own = static_cast<vertex_handle>(edge.larger - plan_.first());
      if (parents_[own] == edge.larger) joined.push_back(own);
      parents_[own] = std::min(parents_[own], edge.smaller);
    };
    outgoing messages(ranks_);
    const part_edge* before = nullptr;
    for (const part_edge& edge : edges_) {
      if (before != nullptr && before->larger == edge.larger) continue;
      before = &edge;
      const int owner = plan_.owner(edge.larger);
      if (owner == ranks_.rank()) {
        propose(edge);
      } else {
        pack(messages.to(owner), edge);
      }
    }
    for (const rank_message& one : messages.exchange())
      for (unpacker bytes(one.bytes); !bytes.empty();) propose(bytes.take<part_edge>());
    return joined;
  }

  /// Makes the roots of their trees the parents of parts.
  void find_roots(std::vector<vertex_handle> parts) {
    while (sum_of_all(parts.size(), ranks_) != 0) {
      std::vector<vertex_id> wanted(parts.size());
      std::transform(parts.begin(), parts.end(), wanted.begin(),
                     [this](vertex_handle v) { return parents_[v]; });
      const std::vector<vertex_id> above = fetched(plan_, ranks_, wanted, parents_);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (above[i] == wanted[i]) continue;
        parents_[parts[i]] = above[i];
        parts[kept++] = parts[i];
      }
      parts.resize(kept);
    }
  }

  /// Calls the ends of edges by their roots, and drops edges that have become loops.
  void rename_edges() {
    std::vector<vertex_id> ends;
    ends.reserve(2 * edges_.size());
    for (const part_edge& edge : edges_) {
      ends.push_back(edge.larger);
      ends.push_back(edge.smaller);
    }
    const std::vector<vertex_id> roots = fetched(plan_, ranks_, ends, parents_);
    for (std::size_t i = 0; i < edges_.size(); ++i)
      edges_[i] = {std::max(roots[2 * i], roots[2 * i + 1]), std::min(roots[2 * i], roots[2 * i + 1])};
    std::erase_if(edges_, [](const part_edge& edge) { return edge.larger == edge.smaller; });
    order_edges();
  }

  const rank_plan& plan_;
  rank_exchange& ranks_;
  unsigned threads_;
  std::vector<vertex_handle> roots_;  // by own vertex: the own vertex that its part is called by
  std::vector<vertex_id> parents_;    // by own vertex; of those that are no part's, of before it was joined
  std::vector<part_edge> edges_;
};

/// Collective. Counts the vertices of each label at the rank that has the vertex of that number.
component_summary summary_of(const std::vector<vertex_id>& labels, const rank_plan& plan,
                             rank_exchange& ranks) {
  std::vector<std::uint64_t> sizes(labels.size());
  std::unordered_map<vertex_id, std::uint64_t> elsewhere;
  std::uint64_t components = 0;
  for (std::size_t v = 0; v < labels.size(); ++v) {
    const vertex_id label = labels[v];
    components += label == plan.first() + v ? 1U : 0U;
    if (label >= plan.first()) {
      ++sizes[label - plan.first()];
    } else {
      ++elsewhere[label];
    }
  }
  outgoing messages(ranks);
  for (const auto& [label, count] : elsewhere) {
    auto& bytes = messages.to(plan.owner(label));
    pack(bytes, label);
    pack(bytes, count);
  }
  for (const rank_message& one : messages.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      const auto label = bytes.take<vertex_id>();
      sizes[label - plan.first()] += bytes.take<std::uint64_t>();
    }
  std::uint64_t largest = 0;
  for (const std::uint64_t size : sizes) largest = std::max(largest, size);
  return {sum_of_all(components, ranks), largest_of_all(largest, ranks)};
}

}  // namespace
}  // namespace detail

rank_component_result connected_components(const rank_graph& graph, rank_exchange& ranks, unsigned threads) {
  detail::require_part(graph, ranks);
  detail::joined_parts parts(graph, ranks, threads);
  parts.join();
  rank_component_result result{parts.labels(), {}};
  result.summary = detail::summary_of(result.labels, graph.plan(), ranks);
  return result;
}

}  // namespace perdure::graph
