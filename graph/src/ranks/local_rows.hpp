// The rows of a rank by its own numbers of vertices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_rows.hpp>
#include <perdure/graph/vertex.hpp>
#include <span>
#include <vector>

namespace perdure::graph::detail {

/// The rows of own vertices, with loops and repetitions. Uses the offsets of the rows that it is made of,
/// which must outlive it.
struct local_rows {
  rank_plan plan;
  std::span<const std::uint64_t> offsets;
  std::vector<vertex_handle> targets;  // own vertices and ghosts

  std::size_t size() const noexcept { return plan.own(); }
  std::uint64_t degree(vertex_handle v) const noexcept { return offsets[v + std::size_t{1}] - offsets[v]; }
  std::span<const vertex_handle> neighbours(vertex_handle v) const noexcept {
    return {targets.data() + offsets[v], targets.data() + offsets[v + std::size_t{1}]};
  }

  /// Orders each row by the numbers of its vertices in the whole graph, so that it is the same for any number
  /// of ranks.
  void order_by_number(unsigned threads);

  /// Collective. Throws `invalid_argument` on all ranks where the rows of one are wrong. Weights may be
  /// anything.
  static local_rows of(const rank_rows& rows, rank_exchange& ranks);
};

}  // namespace perdure::graph::detail
