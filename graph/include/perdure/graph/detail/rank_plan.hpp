// How the vertices of a graph lie on its ranks, and which of them a rank sees from others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/detail/held_span.hpp>
#include <perdure/graph/vertex.hpp>
#include <span>
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
    std::span<const vertex_handle> seen;  // own vertices that are its ghosts, ascending; in the plan's `seen`
    std::size_t first_ghost = 0;          // of its vertices that are ghosts here
    std::size_t ghosts = 0;
  };

  std::vector<std::uint64_t> bounds{0, 0};  // first vertex of each rank, and the number of all
  int rank = 0;
  held_span<vertex_id> ghosts;  // their numbers in the whole graph, ascending
  std::vector<neighbour> neighbours;
  held_span<vertex_handle> seen;           // of all neighbours, one after the other
  held_span<std::uint64_t> ghost_offsets;  // by ghost: its neighbours among the own vertices
  held_span<vertex_handle> ghost_rows;

  std::uint64_t first() const noexcept { return bounds[static_cast<std::size_t>(rank)]; }
  std::size_t own() const noexcept {
    return static_cast<std::size_t>(bounds[static_cast<std::size_t>(rank) + 1] - first());
  }
  std::uint64_t all() const noexcept { return bounds.back(); }
  int owner(vertex_id v) const noexcept { return owner_of(bounds, v); }
  /// The neighbour that is this rank, which has sent something. Throws `damaged` if it is none: then the plan
  /// of that rank is wrong.
  const neighbour& neighbour_at(int other) const;
  /// The ghost at a place among those of a neighbour, as that one says. Throws `damaged` if it has fewer.
  vertex_handle ghost_at(const neighbour& other, std::size_t place) const {
    if (place >= other.ghosts) throw_unlike(other.rank);
    return static_cast<vertex_handle>(own() + other.first_ghost + place);
  }
  /// The number in the whole graph of an own vertex or a ghost.
  vertex_id number(vertex_handle local) const noexcept {
    return local < own() ? first() + local : ghosts[local - own()];
  }
  /// The own vertex or ghost with this number in the whole graph, or `no_vertex`. O(log ghosts).
  vertex_handle local(vertex_id v) const noexcept;
  /// Sets where the ghosts of a neighbour lie, when `bounds` and `ghosts` are there.
  void find_ghosts(neighbour& other) const noexcept;

  /// Throws `damaged`: another rank's plan does not fit this one.
  [[noreturn]] void throw_unlike(int other) const;

  /// Plans for a lone rank.
  static rank_plan lone(std::size_t vertices) {
    rank_plan plan;
    plan.bounds = {0, vertices};
    return plan;
  }
  /// Plans for rows with the numbers of their neighbours in the whole graph, which must be symmetric. Returns
  /// these numbers as local ones in `local`.
  static rank_plan of(std::vector<std::uint64_t> bounds, int rank, std::span<const std::uint64_t> offsets,
                      std::span<const vertex_id> targets, std::vector<vertex_handle>& local);
  /// Begins a plan with these ghosts, in any order and as often as they come, so that `local` finds vertices.
  /// Throws `unsupported` for more than 2^32 - 1 vertices and ghosts.
  static rank_plan with_ghosts(std::vector<std::uint64_t> bounds, int rank, std::vector<vertex_id> ghosts);
  /// Plans the rest, for rows with local numbers.
  void plan_rows(std::span<const std::uint64_t> offsets, std::span<const vertex_handle> targets);
};

/// Where other ranks see the own vertices of a plan.
class mirror_table {
 public:
  /// A place at which another rank sees an own vertex.
  struct mirror {
    std::uint32_t neighbour;  // index in the plan's `neighbours`
    std::uint32_t place;      // index in its `seen`
  };

  mirror_table() = default;
  /// O(own vertices, and those that are seen); nothing for a lone rank.
  explicit mirror_table(const rank_plan& plan);

  std::span<const mirror> of(vertex_handle v) const noexcept {
    if (offsets_.empty()) return {};
    return {mirrors_.data() + offsets_[v], mirrors_.data() + offsets_[v + std::size_t{1}]};
  }

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<mirror> mirrors_;
};

}  // namespace perdure::graph::detail
