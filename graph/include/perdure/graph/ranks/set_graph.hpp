// A graph among the arrays of a set of stores: each rank's part as it lies in the store of that rank.
#pragma once

#include <cstdint>
#include <memory>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph {

/// Collective. Stores a graph as arrays of the set that the ranks have open for writing, under `name`; they
/// are durable with the next checkpoint. Throws on all ranks `already_exists` where an array is called so,
/// `invalid_argument` for a name that arrays cannot have, and what storing throws.
///
/// The arrays, of P ranks, n vertices, m arcs:
/// - `NAME/bounds` [P + 1]: the first vertex of each rank, and n; by rank 0, with the format's version as the
///   attribute `graph of ranks`. `arc_bounds` and `ghost_bounds` are the same of arcs and ghosts;
/// - `NAME/offsets` [n + P]: for each rank where the row of each of its vertices begins among its arcs, from
///   0 on, and their end;
/// - `NAME/neighbours` [m], 32-bit: the rank's own vertices are 0, 1, 2, … and its ghosts follow;
/// - `NAME/weights` [m], where arcs have weights;
/// - `NAME/ghosts`: the numbers in the whole graph of the vertices of other ranks that are neighbours of own
///   ones, in ascending order;
/// - `NAME/ids` [n], where the input calls vertices otherwise than by their numbers.
void store_rank_graph(untyped_arrays& arrays, const std::string& name, const rank_graph& graph,
                      rank_exchange& ranks);

/// A graph of ranks in a set that is open, for reading or for writing.
///
/// Thread safety: const members from any thread.
class set_graph {
 public:
  /// Finds the graph called `name`; without a name the only one. Throws `not_found`, `invalid_argument` where
  /// there is no name and the set holds several graphs, `too_new` for a later format, and `damaged` where its
  /// arrays contradict each other. O(parts).
  explicit set_graph(std::shared_ptr<const untyped_arrays> arrays, const std::string& name = {});

  const std::string& name() const noexcept { return name_; }
  std::uint64_t vertices() const noexcept { return bounds_.back(); }
  std::uint64_t arcs() const noexcept { return arc_bounds_.back(); }
  /// Ranks that have stored it.
  int parts() const noexcept { return static_cast<int>(bounds_.size()) - 1; }
  bool has_weights() const noexcept { return has_weights_; }
  bool has_ids() const noexcept { return has_ids_; }

  /// Returns the graph's part for one of `parts` ranks: as it was stored where they are as many, else
  /// vertices are divided anew so that ranks have about as many arcs each. It takes no communication: each
  /// rank reads what it needs from the parts that have it. Throws `damaged` where arrays contradict each
  /// other, and what reading throws. O(its vertices and arcs, and the ghosts of the old parts that it reads).
  rank_graph part(int part, int parts) const;
  /// Returns the bounds of vertices of that division. Reads the offsets of as many parts.
  std::vector<std::uint64_t> bounds_for(int parts) const;

 private:
  void require_length(const char* what, std::uint64_t length) const;
  std::uint64_t vertex_behind(std::uint64_t arcs_and_vertices) const;

  std::shared_ptr<const untyped_arrays> arrays_;
  std::string name_;
  std::vector<std::uint64_t> bounds_;
  std::vector<std::uint64_t> arc_bounds_;
  std::vector<std::uint64_t> ghost_bounds_;
  bool has_weights_ = false;
  bool has_ids_ = false;
};

/// Returns the names of the graphs of ranks among the arrays, sorted.
std::vector<std::string> graphs_of_ranks_in(const untyped_arrays& arrays);

}  // namespace perdure::graph
