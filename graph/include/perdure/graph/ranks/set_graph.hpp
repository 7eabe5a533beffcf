// A graph among the arrays of a set of stores: each rank's part lies in the store of that rank.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/rank_order.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph {

/// Collective. Stores a graph under `name`, as arrays of the set that the ranks have open for writing. They
/// are durable from the next checkpoint on. `order` records how vertices are numbered. Throws on all ranks
/// `already_exists` if there is an array of this name, `invalid_argument` for a name that arrays cannot have,
/// and what storing throws.
///
/// The arrays, for P ranks, n vertices and m arcs:
/// - `NAME/bounds` [P + 1]: the first vertex of each rank, and n. Rank 0 has it, with the format's version as
///   the attribute `graph of ranks`, and the order of the vertices as the attribute `order`.
/// - `NAME/part_bounds` [P + 1, 5], on rank 0: the same of arcs, ghosts, arcs to ghosts, seen vertices and
///   partners.
/// - `NAME/is_simple` [P]: 1 if no list has a loop or a parallel edge.
/// - `NAME/offsets` [n + P]: for each rank the place where the list of each of its vertices begins among its
///   arcs, from 0 on, and their end.
/// - `NAME/neighbours` [m], 32-bit: the rank's own vertices are 0, 1, 2, … and its ghosts follow.
/// - `NAME/weights` [m], if arcs have weights.
/// - `NAME/ids` [n], unless ids are the vertex numbers.
/// - `NAME/ghosts`: the numbers in the whole graph of the vertices of other ranks that are neighbours of own
///   ones, ascending.
/// - `NAME/ghost_offsets`, like `offsets`, and `NAME/ghost_rows`, 32-bit: for each ghost the own vertices
///   that have it as a neighbour.
/// - `NAME/partners` [., 2]: the ranks that have ghosts of a rank's vertices, ascending, and the number of
///   these vertices. `NAME/seen`, 32-bit: these vertices, partner by partner.
void store_rank_graph(untyped_arrays& arrays, const std::string& name, const rank_graph& graph,
                      rank_exchange& ranks, rank_order order = rank_order::none);

namespace detail {

/// Where the arrays of each rank begin among those of all, with one bound more than there are ranks.
struct part_bounds {
  std::vector<std::uint64_t> arcs;
  std::vector<std::uint64_t> ghosts;
  std::vector<std::uint64_t> ghost_arcs;
  std::vector<std::uint64_t> seen;
  std::vector<std::uint64_t> partners;

  static constexpr std::size_t columns_stored = 5;
  /// The columns, in the order in which they are stored.
  std::array<std::vector<std::uint64_t>*, columns_stored> columns() {
    return {&arcs, &ghosts, &ghost_arcs, &seen, &partners};
  }
  /// Adds up the lengths of the columns, of which there is a row for each part.
  static part_bounds of(std::span<const std::uint64_t> lengths);
};

/// Properties of a stored graph that its parts have in common.
struct stored_shape {
  part_bounds bounds;
  bool has_weights = false;
  bool has_ids = false;
  rank_order order = rank_order::none;
};

/// Returns what a part adds to each column of `part_bounds`.
std::array<std::uint64_t, part_bounds::columns_stored> lengths_of(const rank_graph& graph);

/// Stores a part of a graph, as its rank does.
void store_graph_part(untyped_arrays& arrays, const std::string& name, const rank_graph& graph,
                      const stored_shape& shape);

}  // namespace detail

/// A graph of ranks in a set that is open for reading or for writing.
///
/// Thread safety: const members from any thread.
class set_graph {
 public:
  /// Finds the graph called `name`; without a name the only one. O(parts). Throws `not_found`,
  /// `invalid_argument` if there is no name and the set holds several graphs, `too_new` for a later format,
  /// and `damaged` if its arrays contradict each other.
  explicit set_graph(std::shared_ptr<const untyped_arrays> arrays, const std::string& name = {});

  /// Returns the graph's name in the set.
  const std::string& name() const noexcept { return name_; }
  /// Returns the number of vertices in the whole graph.
  std::uint64_t vertices() const noexcept { return bounds_.back(); }
  /// Returns the number of arcs in the whole graph: an edge has two, a loop has one.
  std::uint64_t arcs() const noexcept { return part_bounds_.arcs.back(); }
  /// Returns the number of ranks that have stored it.
  int parts() const noexcept { return static_cast<int>(bounds_.size()) - 1; }
  /// Returns whether arcs have weights.
  bool has_weights() const noexcept { return has_weights_; }
  /// Returns whether vertices have ids other than their numbers.
  bool has_ids() const noexcept { return has_ids_; }
  /// Returns the order in which vertices are numbered.
  rank_order order() const noexcept { return order_; }
  /// Returns the names of the arrays that the graph consists of.
  std::vector<std::string> arrays() const;

  /// Returns the part of the graph for one of `parts` ranks. It takes no communication.
  ///
  /// If as many ranks have stored the graph and the part lies there in one piece, it is viewed in place:
  /// nothing is copied, and it is valid as long as the set is open. Otherwise vertices are divided again so
  /// that ranks have about as many arcs each, and each rank reads its part from the parts that have it.
  ///
  /// Throws `damaged` if arrays contradict each other, and what reading throws. Does not check that both ends
  /// of an edge have it. O(its vertices and arcs, and the ghosts of the old parts that it reads).
  rank_graph part(int part, int parts) const;
  /// Returns the part of a division whose bounds are known (`bounds_for`). It is quicker if a process makes
  /// many parts.
  rank_graph part(int part, const std::vector<std::uint64_t>& bounds) const;
  /// Returns the first vertex of each of `parts` ranks in that division, and the number of vertices. Reads
  /// O(log vertices) offsets for each.
  std::vector<std::uint64_t> bounds_for(int parts) const;

 private:
  rank_graph stored_part(int part) const;
  rank_graph divided_part(int part, std::vector<std::uint64_t> bounds) const;
  bool is_simple_part(std::size_t part) const;
  void require_length(const char* what, const extents& dims) const;
  void require_rows(std::span<const std::uint64_t> offsets, std::uint64_t arcs) const;
  template <class Value>
  void require_below(std::span<const Value> values, std::uint64_t limit, const char* fault) const;
  std::uint64_t vertex_behind(std::uint64_t arcs_and_vertices) const;

  std::shared_ptr<const untyped_arrays> arrays_;
  std::string name_;
  std::vector<std::uint64_t> bounds_;
  detail::part_bounds part_bounds_;
  bool has_weights_ = false;
  bool has_ids_ = false;
  rank_order order_ = rank_order::none;
};

/// Collective. Stores a graph in place of `old`, a graph of the same set, like `store_rank_graph`. The old
/// graph stays until the next checkpoint, and all other arrays stay. After an exception close the set without
/// a checkpoint.
void replace_rank_graph(untyped_arrays& arrays, const set_graph& old, const rank_graph& graph,
                        rank_exchange& ranks, rank_order order = rank_order::none);

/// Returns the names of the graphs of ranks among the arrays, sorted.
std::vector<std::string> graphs_of_ranks_in(const untyped_arrays& arrays);

}  // namespace perdure::graph
