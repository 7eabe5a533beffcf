// How the vertices of a graph lie on its ranks, and which of them a rank sees from others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/vertex.hpp>
#include <vector>

namespace perdure::graph::detail {

/// The rank that owns a vertex, by the first vertex of each rank and the number of all.
inline int owner_of(const std::vector<std::uint64_t>& bounds, vertex_id v) noexcept {
  return static_cast<int>(std::upper_bound(bounds.begin(), bounds.end(), v) - bounds.begin()) - 1;
}

/// A rank numbers its own vertices from 0, in their order, and *ghosts* behind them: vertices of other ranks
/// that are neighbours of its own.
struct rank_plan {
  /// Another rank with neighbours of own vertices.
  struct neighbour {
    int rank = 0;
    std::vector<vertex_handle> seen;  // own vertices that are its ghosts, ascending
    std::size_t first_ghost = 0;      // of its vertices that are ghosts here
    std::size_t ghosts = 0;
  };
  /// A place at which another rank sees an own vertex.
  struct mirror {
    std::uint32_t neighbour;  // index in `neighbours`
    std::uint32_t place;      // index in its `seen`
  };

  std::vector<std::uint64_t> bounds{0, 0};  // first vertex of each rank, and the number of all
  int rank = 0;
  std::vector<vertex_id> ghosts;  // their numbers in the whole graph, ascending
  std::vector<neighbour> neighbours;
  std::vector<std::uint64_t> mirror_offsets;  // by own vertex; empty for a lone rank
  std::vector<mirror> mirrors;
  std::vector<std::uint64_t> ghost_offsets;  // by ghost: its neighbours among the own vertices
  std::vector<vertex_handle> ghost_rows;

  std::uint64_t first() const noexcept { return bounds[static_cast<std::size_t>(rank)]; }
  std::size_t own() const noexcept {
    return static_cast<std::size_t>(bounds[static_cast<std::size_t>(rank) + 1] - first());
  }
  std::uint64_t all() const noexcept { return bounds.back(); }
  int owner(vertex_id v) const noexcept { return owner_of(bounds, v); }
  /// The neighbour that is this rank. There must be one.
  const neighbour& neighbour_at(int other) const noexcept;
  /// The number in the whole graph of an own vertex or a ghost.
  vertex_id number(vertex_handle local) const noexcept {
    return local < own() ? first() + local : ghosts[local - own()];
  }
  /// The own vertex or ghost with this number in the whole graph, or `no_vertex`. O(log ghosts).
  vertex_handle local(vertex_id v) const noexcept;

  /// Plans for a lone rank.
  static rank_plan lone(std::size_t vertices) {
    rank_plan plan;
    plan.bounds = {0, vertices};
    return plan;
  }
  /// Plans for rows with the numbers of their neighbours in the whole graph, which must be symmetric. Returns
  /// these numbers as local ones in `local`.
  static rank_plan of(std::vector<std::uint64_t> bounds, int rank, const std::vector<std::uint64_t>& offsets,
                      const std::vector<vertex_id>& targets, std::vector<vertex_handle>& local);
};

}  // namespace perdure::graph::detail
