// Vertices that change their labels, half of them at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/detail/community_graph.hpp>
#include <perdure/workload/counted_random.hpp>
#include <perdure/workload/parallel.hpp>
#include <vector>

#include "ranks/community_labels.hpp"

namespace perdure::graph::detail {

/// The weight of a vertex's edges to each of the communities around it, by their index.
class nearby {
 public:
  void add(vertex_handle community, std::uint64_t weight) {
    std::uint64_t& there = weights_[community];
    if (there == none) {
      there = 0;
      found_.push_back(community);
    }
    there += weight;
  }
  std::uint64_t weight(vertex_handle community) const noexcept {
    return weights_[community] == none ? 0 : weights_[community];
  }
  const std::vector<vertex_handle>& communities() const noexcept { return found_; }
  void clear() {
    for (const vertex_handle community : found_) weights_[community] = none;
    found_.clear();
  }
  /// Makes room for indices below this.
  void grow(std::size_t communities) {
    if (weights_.size() < communities) weights_.resize(communities, none);
  }

 private:
  static constexpr auto none = ~std::uint64_t{0};

  std::vector<std::uint64_t> weights_;
  std::vector<vertex_handle> found_;
};

/// The vertices of a graph, each with a label. In each half-step about half of those that are awake, chosen
/// by a hash of their numbers, decide on labels by those of before; then all of them change, and wake their
/// neighbours. So the labels depend neither on the number of threads nor on that of ranks. All at once would
/// not do: two neighbours would take each other's label for ever.
class half_steps {
 public:
  half_steps(const community_graph& graph, community_labels& labels, unsigned start, unsigned threads)
      : graph_(graph),
        labels_(labels),
        key_(workload::random_number(workload::golden_step, start)),
        pieces_(
            static_cast<unsigned>(std::min<std::size_t>(std::max(1U, threads), graph.size() / grain + 1))),
        awake_(graph.size(), 1),
        around_(pieces_),
        changes_(pieces_) {}

  /// Collective. Lets each vertex that is awake decide once: `decide(v, around, thread)` returns the index of
  /// its new label, with an empty `around` of the thread's own, and is called by several threads at once.
  /// Returns the number of this rank's vertices that changed.
  template <class Decide>
  std::size_t each(Decide&& decide) {
    changed_ghosts_ = 0;
    const std::size_t changed = half(0, decide) + half(1, decide);
    ++iterations_;
    return changed;
  }
  unsigned iterations() const noexcept { return iterations_; }
  /// Vertices of other ranks that changed while each vertex decided last.
  std::size_t changed_ghosts() const noexcept { return changed_ghosts_; }
  unsigned threads() const noexcept { return pieces_; }

 private:
  static constexpr std::size_t grain = 512;

  template <class Decide>
  std::size_t half(unsigned which, Decide&& decide) {
    const std::uint64_t key = key_ + iterations_;
    const vertex_id first = graph_.plan.first();
    for (nearby& one : around_) one.grow(labels_.indices());
    std::atomic<std::size_t> next{0};
    workload::run_threads(pieces_, [&](unsigned thread) {
      changes_[thread].clear();
      for (;;) {
        const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= awake_.size()) return;
        for (std::size_t i = begin; i < std::min(begin + grain, awake_.size()); ++i) {
          if (awake_[i] == 0 || (workload::random_number(key, first + i) & 1) != which) continue;
          awake_[i] = 0;
          const auto v = static_cast<vertex_handle>(i);
          const vertex_handle to = decide(v, around_[thread], thread);
          around_[thread].clear();
          if (to != labels_[v]) changes_[thread].push_back({v, to});
        }
      }
    });
    workload::run_threads(pieces_, [&](unsigned thread) {
      for (const changed_label& one : changes_[thread]) labels_.change(one);
    });
    const std::vector<vertex_handle>& ghosts = labels_.exchange(changes_);
    changed_ghosts_ += ghosts.size();
    workload::run_threads(pieces_, [&](unsigned thread) {
      for (const auto& [v, to] : changes_[thread])
        graph_.each_neighbour(v, [&](vertex_handle u, std::uint64_t) {
          if (u < awake_.size() && labels_[u] != to)
            std::atomic_ref(awake_[u]).store(1, std::memory_order_relaxed);
        });
    });
    const rank_plan& plan = graph_.plan;
    for (const vertex_handle ghost : ghosts) {
      const std::size_t row = ghost - awake_.size();
      for (std::uint64_t i = plan.ghost_offsets[row]; i < plan.ghost_offsets[row + 1]; ++i)
        if (labels_[plan.ghost_rows[i]] != labels_[ghost]) awake_[plan.ghost_rows[i]] = 1;
    }
    std::size_t changed = 0;
    for (const auto& some : changes_) changed += some.size();
    return changed;
  }

  const community_graph& graph_;
  community_labels& labels_;
  std::uint64_t key_;
  unsigned pieces_;
  unsigned iterations_ = 0;
  std::size_t changed_ghosts_ = 0;
  std::vector<std::uint8_t> awake_;
  std::vector<nearby> around_;
  std::vector<std::vector<changed_label>> changes_;
};

}  // namespace perdure::graph::detail
