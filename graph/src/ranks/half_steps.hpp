// Vertices that change their labels, half of them at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/detail/community_graph.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/counted_random.hpp>
#include <perdure/workload/parallel.hpp>
#include <utility>
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
/// by a hash of their numbers, decide on labels by those of before; then all of them change, and wake
/// neighbours with other labels. So the labels depend neither on the number of threads nor on that of ranks.
/// All at once would not do: two neighbours would take each other's label for ever.
class half_steps {
 public:
  half_steps(const community_graph& graph, community_labels& labels, unsigned start,
             const louvain_options& options)
      : graph_(graph),
        labels_(labels),
        key_(workload::random_number(workload::golden_step, start)),
        pieces_(static_cast<unsigned>(
            std::min<std::size_t>(std::max(1U, options.threads), graph.size() / grain + 1))),
        reads_rows_once_(options.reads_rows_once),
        awake_(graph.size(), 1),
        decides_(options.reads_rows_once ? graph.size() : 0),
        beside_(options.reads_rows_once ? graph.size() : 0, no_vertex),
        around_(pieces_),
        changes_(pieces_) {}

  /// Collective. Lets each vertex that is awake decide once: `decide(v, around, thread)` returns the index of
  /// its new label, with an empty `around` of the thread's own, and is called by several threads at once.
  /// Returns the number of this rank's vertices that changed.
  template <class Decide>
  std::size_t each(Decide&& decide) {
    begin_progress_round("iteration");
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
    const auto falls_asleep = [&](std::size_t i) {
      if ((workload::random_number(key, first + i) & 1) != which) return false;
      awake_[i] = 0;
      return true;
    };
    if (reads_rows_once_)
      in_pieces([&](std::size_t begin, std::size_t end, unsigned) {
        std::fill(&decides_[begin], &decides_[begin] + (end - begin), 0);
        each_set(awake_, begin, end, [&](std::size_t i) { decides_[i] = falls_asleep(i) ? 1 : 0; });
      });
    for (auto& some : changes_) some.clear();
    in_pieces([&](std::size_t begin, std::size_t end, unsigned thread) {
      each_set(reads_rows_once_ ? decides_ : awake_, begin, end, [&](std::size_t i) {
        if (!reads_rows_once_ && !falls_asleep(i)) return;
        const auto v = static_cast<vertex_handle>(i);
        const vertex_handle to = decide(v, around_[thread], thread);
        around_[thread].clear();
        if (to == labels_[v]) return;
        changes_[thread].push_back({v, to});
        if (reads_rows_once_) wake_beside(v, to);
      });
    });
    workload::run_threads(pieces_, [&](unsigned thread) {
      for (const changed_label& one : changes_[thread]) labels_.change(one);
    });
    if (reads_rows_once_)
      in_pieces([&](std::size_t begin, std::size_t end, unsigned) {
        each_set(decides_, begin, end, [&](std::size_t i) {
          const vertex_handle beside = std::exchange(beside_[i], no_vertex);
          if (beside != no_vertex && beside != labels_[static_cast<vertex_handle>(i)]) awake_[i] = 1;
        });
      });
    const std::vector<vertex_handle>& ghosts = labels_.exchange(changes_);
    changed_ghosts_ += ghosts.size();
    if (!reads_rows_once_)
      workload::run_threads(pieces_, [&](unsigned thread) {
        for (const auto& [v, to] : changes_[thread])
          graph_.each_neighbour(v, [&](vertex_handle u, std::uint64_t) {
            if (u < awake_.size() && labels_[u] != to) wake(u);
          });
      });
    const rank_plan& plan = graph_.plan;
    for (const vertex_handle ghost : ghosts) {
      const std::size_t row = ghost - awake_.size();
      for (std::uint64_t i = plan.ghost_offsets[row]; i < plan.ghost_offsets[row + 1]; ++i) {
        const vertex_handle u = plan.ghost_rows[i];
        if (labels_[u] != labels_[ghost]) awake_[u] = 1;
      }
    }
    std::size_t changed = 0;
    for (const auto& some : changes_) changed += some.size();
    return changed;
  }

  void wake(vertex_handle v) noexcept { std::atomic_ref(awake_[v]).store(1, std::memory_order_relaxed); }
  void wake_beside(vertex_handle v, vertex_handle to) noexcept {
    graph_.each_neighbour(v, [&](vertex_handle u, std::uint64_t) {
      if (u >= awake_.size()) return;
      if (decides_[u] != 0 ? is_other_beside(u, to) : labels_[u] != to) wake(u);
    });
  }
  /// Notes that a neighbour of a vertex that decides too changes to this label. Returns whether another
  /// neighbour changes to another one: then one of both differs from what the vertex decides on.
  bool is_other_beside(vertex_handle v, vertex_handle label) noexcept {
    const std::atomic_ref beside(beside_[v]);
    vertex_handle found = beside.load(std::memory_order_relaxed);
    if (found == no_vertex) {
      if (pieces_ == 1) {
        beside.store(label, std::memory_order_relaxed);
        return false;
      }
      if (beside.compare_exchange_strong(found, label, std::memory_order_relaxed)) return false;
    }
    return found != label;
  }
  /// Calls `work(i)` for each i of the range whose flag is not 0. Most flags are 0 in late steps.
  template <class Work>
  static void each_set(const std::vector<std::uint8_t>& flags, std::size_t begin, std::size_t end,
                       Work&& work) {
    for (std::size_t i = begin; i < end;) {
      std::uint64_t eight = 1;
      if (i + sizeof eight <= end) std::memcpy(&eight, &flags[i], sizeof eight);
      const std::size_t stop = std::min(i + sizeof eight, end);
      if (eight == 0) i = stop;
      for (; i < stop; ++i)
        if (flags[i] != 0) work(i);
    }
  }
  /// Calls `work(begin, end, thread)` for ranges of vertices, by several threads at once.
  template <class Work>
  void in_pieces(Work&& work) {
    std::atomic<std::size_t> next{0};
    workload::run_threads(pieces_, [&](unsigned thread) {
      for (;;) {
        const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= awake_.size()) return;
        work(begin, std::min(begin + grain, awake_.size()), thread);
      }
    });
  }

  const community_graph& graph_;
  community_labels& labels_;
  std::uint64_t key_;
  unsigned pieces_;
  bool reads_rows_once_;
  unsigned iterations_ = 0;
  std::size_t changed_ghosts_ = 0;
  std::vector<std::uint8_t> awake_;
  std::vector<std::uint8_t> decides_;  // in this half-step; only where rows are read once, as what follows
  std::vector<vertex_handle> beside_;  // by vertex that decides: to what a neighbour changes
  std::vector<nearby> around_;
  std::vector<std::vector<changed_label>> changes_;
};

}  // namespace perdure::graph::detail
