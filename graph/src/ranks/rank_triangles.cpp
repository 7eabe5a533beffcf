// Counts triangles where the second of their vertices is, by number of neighbours: there the row of the first
// one and that of the second one have the third one in common.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/ranks/rank_triangles.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <utility>
#include <vector>

#include "ranks/ghost_values.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"
#include "ranks/sound_rows.hpp"

namespace perdure::graph {
namespace detail {
namespace {

/// Rows of own vertices in which each edge is once: with the end that has fewer neighbours.
class rising_rows {
 public:
  /// Collective.
  rising_rows(const rank_graph& rows, rank_exchange& ranks, unsigned threads)
      : plan_(rows.plan()),
        offsets_(rows.offsets()),
        targets_(rows.targets().begin(), rows.targets().end()),
        ends_(plan_.own()) {
    std::vector<std::uint64_t> degrees(places());
    each_vertex(threads, plan_.own(), [&](vertex_handle v) {
      vertex_handle* const begin = targets_.data() + offsets_[v];
      vertex_handle* end = targets_.data() + offsets_[v + std::size_t{1}];
      std::sort(begin, end);
      end = std::remove(begin, std::unique(begin, end), v);
      ends_[v] = static_cast<std::uint64_t>(end - targets_.data());
      degrees[v] = static_cast<std::uint64_t>(end - begin);
    });
    if (ranks.size() > 1)
      exchange_with_ghosts<std::uint64_t>(
          plan_, ranks, [&](vertex_handle v) { return degrees[v]; },
          [&](vertex_handle ghost, std::uint64_t degree) { degrees[ghost] = degree; });
    each_vertex(threads, plan_.own(), [&](vertex_handle v) {
      vertex_handle* const begin = targets_.data() + offsets_[v];
      vertex_handle* const end = targets_.data() + ends_[v];
      const auto is_lower = [&](vertex_handle u) {
        return degrees[u] != degrees[v] ? degrees[u] < degrees[v] : plan_.number(u) < plan_.number(v);
      };
      ends_[v] = static_cast<std::uint64_t>(std::remove_if(begin, end, is_lower) - targets_.data());
    });
  }

  const rank_plan& plan() const noexcept { return plan_; }
  std::size_t own() const noexcept { return ends_.size(); }
  /// Own vertices and ghosts.
  std::size_t places() const noexcept { return plan_.own() + plan_.ghosts.size(); }
  /// Own vertices first, then ghosts, ascending.
  std::span<const vertex_handle> row(vertex_handle v) const noexcept {
    return {targets_.data() + offsets_[v], targets_.data() + ends_[v]};
  }

 private:
  const rank_plan& plan_;
  std::span<const std::uint64_t> offsets_;
  std::vector<vertex_handle> targets_;
  std::vector<std::uint64_t> ends_;
};

/// A set of own vertices and ghosts that closes triangles.
class closing_set {
 public:
  explicit closing_set(const rising_rows& rows) : rows_(rows), words_(rows.places() / 64 + 1) {}

  /// Returns how often a vertex of `row` and one in the row of that are both in `row`.
  std::uint64_t triangles(std::span<const vertex_handle> row) {
    for (const vertex_handle u : row) words_[u / 64] |= std::uint64_t{1} << (u % 64);
    std::uint64_t found = 0;
    for (const vertex_handle u : row) {
      if (u >= rows_.own()) continue;
      for (const vertex_handle w : rows_.row(u)) found += words_[w / 64] >> (w % 64) & 1;
    }
    for (const vertex_handle u : row) words_[u / 64] = 0;
    return found;
  }

 private:
  const rising_rows& rows_;
  std::vector<std::uint64_t> words_;
};

/// Sets of own vertices and ghosts, one for each thread.
class closing_sets {
 public:
  closing_sets(const rising_rows& rows, unsigned threads) : all_(std::max(1U, threads), closing_set(rows)) {}

  /// Returns the sum of what `work(i, set)` returns for the numbers below `count`, each called by one thread
  /// with its set.
  template <class Work>
  std::uint64_t sum(std::size_t count, Work&& work) {
    constexpr std::size_t grain = 64;
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> all{0};
    begin_progress_round("closing triangles, batch", count, "vertices");
    workload::run_threads(static_cast<unsigned>(std::min(all_.size(), count / grain + 1)),
                          [&](unsigned thread) {
                            std::uint64_t found = 0;
                            for (;;) {
                              const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
                              if (begin >= count) break;
                              for (std::size_t i = begin; i < std::min(begin + grain, count); ++i)
                                found += work(i, all_[thread]);
                              add_progress(std::min(grain, count - begin));
                            }
                            all.fetch_add(found, std::memory_order_relaxed);
                          });
    return all.load(std::memory_order_relaxed);
  }

 private:
  std::vector<closing_set> all_;
};

/// Rows on their way to the ranks that have a vertex of them.
class sent_rows {
 public:
  sent_rows(const rising_rows& rows, rank_exchange& ranks)
      : rows_(rows), ranks_(ranks), end_(static_cast<vertex_handle>(rows.own())) {}

  bool are_left() const noexcept { return next_ != end_; }

  /// Collective. Sends as many rows as messages may have, and returns what other ranks have sent.
  std::vector<rank_message> exchange() {
    outgoing messages(ranks_);
    for (bool is_full = false; are_left() && !is_full; ++next_) is_full = pack_row(messages);
    return messages.exchange();
  }

 private:
  static constexpr std::size_t bytes_of_message = std::size_t{1} << 16;

  /// Packs a row for each rank that has one of its ghosts. Returns whether a message is full.
  bool pack_row(outgoing& messages) {
    const std::span<const vertex_handle> row = rows_.row(next_);
    if (row.size() < 2) return false;
    bool is_full = false;
    int before = ranks_.rank();
    for (const vertex_handle u : row) {
      if (u < rows_.own()) continue;
      const int owner = rows_.plan().owner(rows_.plan().number(u));
      if (std::exchange(before, owner) == owner) continue;
      auto& bytes = messages.to(owner);
      pack(bytes, static_cast<std::uint64_t>(row.size()));
      for (const vertex_handle w : row) pack(bytes, rows_.plan().number(w));
      is_full |= bytes.size() >= bytes_of_message;
    }
    return is_full;
  }

  const rising_rows& rows_;
  rank_exchange& ranks_;
  vertex_handle next_ = 0;
  vertex_handle end_;
};

/// The vertices of received rows that this rank sees. Others are in no row here.
std::vector<std::vector<vertex_handle>> seen_parts(const std::vector<rank_message>& received,
                                                   const rank_plan& plan) {
  std::vector<std::vector<vertex_handle>> rows;
  for (const rank_message& one : received)
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      auto& row = rows.emplace_back();
      for (auto left = bytes.take<std::uint64_t>(); left != 0; --left)
        if (const vertex_handle v = plan.local(bytes.take<vertex_id>()); v != no_vertex) row.push_back(v);
    }
  return rows;
}

}  // namespace
}  // namespace detail

std::uint64_t count_triangles(const rank_graph& graph, rank_exchange& ranks, unsigned threads) {
  detail::require_part(graph, ranks);
  const detail::rising_rows rising(graph, ranks, threads);
  detail::closing_sets sets(rising, threads);
  std::uint64_t found = sets.sum(rising.own(), [&](std::size_t v, detail::closing_set& set) {
    return set.triangles(rising.row(static_cast<vertex_handle>(v)));
  });
  detail::sent_rows sent(rising, ranks);
  while (ranks.size() > 1 && detail::sum_of_all(sent.are_left() ? 1 : 0, ranks) != 0) {
    const auto others = detail::seen_parts(sent.exchange(), graph.plan());
    found += sets.sum(others.size(),
                      [&](std::size_t i, detail::closing_set& set) { return set.triangles(others[i]); });
  }
  return detail::sum_of_all(found, ranks);
}

}  // namespace perdure::graph
