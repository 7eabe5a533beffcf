// Searches level by level: each rank goes through the rows of its own vertices of a level, and of the ghosts
// that their owners say are in it.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/rank_bfs.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/parallel.hpp>
#include <string>
#include <utility>

#include "ranks/ghost_values.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"
#include "ranks/sound_rows.hpp"

namespace perdure::graph {
namespace detail {
namespace {

class level_search {
 public:
  level_search(const rank_graph& rows, rank_exchange& ranks, unsigned threads)
      : rows_(rows),
        plan_(rows.plan()),
        mirrors_(plan_),
        ranks_(ranks),
        threads_(std::max(1U, threads)),
        found_(threads_) {
    result_.levels.assign(rows.size(), unreached);
    result_.parents.assign(rows.size(), no_parent);
    has_ids_ = sum_of_all(rows.ids().size(), ranks) != 0;
    if (!has_ids_) return;
    ghost_ids_.resize(rows.ghosts().size());
    exchange_with_ghosts<vertex_id>(
        plan_, ranks, [&](vertex_handle v) { return rows.ids()[v]; },
        [&](vertex_handle ghost, vertex_id id) { ghost_ids_[ghost - rows_.size()] = id; });
  }

  rank_bfs_result run(vertex_id source) {
    if (plan_.owner(source) == ranks_.rank()) {
      const auto own = static_cast<vertex_handle>(source - plan_.first());
      reach(own, id(own), 0, 0);
      take_level();
    }
    for (std::uint32_t depth = 0;; ++depth) {
      begin_progress_round("level");
      std::array<std::uint64_t, 2> vertices_and_arcs{level_.size(), 0};
      for (const vertex_handle v : level_) vertices_and_arcs[1] += rows_.degree(v);
      ranks_.add_up(vertices_and_arcs);
      if (vertices_and_arcs[0] == 0) return std::move(result_);
      result_.summary.histogram.push_back(vertices_and_arcs[0]);
      result_.summary.reached += vertices_and_arcs[0];
      result_.summary.arcs += vertices_and_arcs[1];
      follow(depth + 1);
    }
  }

 private:
  /// The id of an own vertex or a ghost.
  vertex_id id(vertex_handle v) const noexcept {
    if (!has_ids_) return plan_.number(v);
    return v < rows_.size() ? rows_.ids()[v] : ghost_ids_[v - rows_.size()];
  }

  /// Collective. Goes from a level to the next one.
  void follow(std::uint32_t depth) {
    if (ranks_.size() > 1) exchange_level();
    each(level_, [&](vertex_handle v, unsigned thread) {
      for (const vertex_handle u : rows_.neighbours(v))
        if (u < rows_.size()) reach(u, id(v), depth, thread);
    });
    each(ghosts_, [&](vertex_handle ghost, unsigned thread) {
      const std::size_t row = ghost - rows_.size();
      for (std::uint64_t i = plan_.ghost_offsets[row]; i < plan_.ghost_offsets[row + 1]; ++i)
        reach(plan_.ghost_rows[i], id(ghost), depth, thread);
    });
    take_level();
  }

  /// Collective. Sends the own vertices of the level to the ranks that see them, and receives the ghosts in
  /// it.
  void exchange_level() {
    outgoing messages(ranks_);
    for (const vertex_handle v : level_)
      for (const mirror_table::mirror& one : mirrors_.of(v))
        pack(messages.to(plan_.neighbours[one.neighbour].rank), one.place);
    ghosts_.clear();
    for (const rank_message& one : messages.exchange()) {
      const rank_plan::neighbour& from = plan_.neighbour_at(one.rank);
      for (unpacker bytes(one.bytes); !bytes.empty();)
        ghosts_.push_back(plan_.ghost_at(from, bytes.take<std::uint32_t>()));
    }
  }

  /// Puts an own vertex into a level unless it is in an earlier one. Threads may do so at once.
  void reach(vertex_handle v, vertex_id parent, std::uint32_t depth, unsigned thread) {
    const std::atomic_ref level(result_.levels[v]);
    std::uint32_t there = level.load(std::memory_order_relaxed);
    if (there == unreached && level.compare_exchange_strong(there, depth, std::memory_order_relaxed)) {
      found_[thread].push_back(v);
      there = depth;
    }
    if (there != depth) return;
    const std::atomic_ref smallest(result_.parents[v]);
    vertex_id before = smallest.load(std::memory_order_relaxed);
    while (parent < before && !smallest.compare_exchange_weak(before, parent, std::memory_order_relaxed)) {
    }
  }

  void take_level() {
    level_.clear();
    for (auto& some : found_) {
      level_.insert(level_.end(), some.begin(), some.end());
      some.clear();
    }
  }

  /// Calls `work(v, thread)` for vertices, on several threads where there are many.
  template <class Work>
  void each(const std::vector<vertex_handle>& vertices, Work&& work) const {
    constexpr std::size_t grain = 256;
    const auto threads = static_cast<unsigned>(std::min<std::size_t>(threads_, vertices.size() / grain + 1));
    std::atomic<std::size_t> next{0};
    workload::run_threads(threads, [&](unsigned thread) {
      for (;;) {
        const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= vertices.size()) return;
        for (std::size_t i = begin; i < std::min(begin + grain, vertices.size()); ++i)
          work(vertices[i], thread);
      }
    });
  }

  const rank_graph& rows_;
  const rank_plan& plan_;
  mirror_table mirrors_;
  rank_exchange& ranks_;
  unsigned threads_;
  bool has_ids_ = false;
  std::vector<vertex_id> ghost_ids_;
  std::vector<vertex_handle> level_;               // own vertices
  std::vector<vertex_handle> ghosts_;              // in the same level
  std::vector<std::vector<vertex_handle>> found_;  // by thread: own vertices of the next level
  rank_bfs_result result_;
};

}  // namespace
}  // namespace detail

rank_bfs_result bfs(const rank_graph& graph, rank_exchange& ranks, vertex_id source, unsigned threads) {
  detail::require_part(graph, ranks);
  detail::require_same(source, ranks, "sources");
  if (source >= graph.vertices())
    throw error(errc::not_found, "vertex number " + std::to_string(source) + " is not in the graph");
  return detail::level_search(graph, ranks, threads).run(source);
}

}  // namespace perdure::graph
