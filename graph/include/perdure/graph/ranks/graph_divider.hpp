// Divides the graphs of a set of stores between vertices, when the set is divided among another number of
// ranks.
//
//     perdure::graph::graph_divider graphs;
//     perdure::repartition_set("square.set", 8, {}, &graphs);
//
// In an MPI program with as many ranks as the set shall have:
//
//     perdure::graph::mpi_exchange ranks(MPI_COMM_WORLD);
//     perdure::graph::graph_divider graphs(ranks);
//     perdure::mpi::repartition(MPI_COMM_WORLD, "square.set", {}, &graphs);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/set_division.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph {

/// Attribute of an array: the name of the graph whose vertices its elements belong to.
inline constexpr std::string_view graph_of_array = "graph";

/// Divides each graph of the set as if the new ranks had made it: between vertices, so that parts have about
/// as many arcs each, with the ghosts and the plan of each part. Arrays that name a graph (`graph_of_array`)
/// and have an element for each vertex are divided at the same vertices, along the first dimension whose
/// length is the number of vertices. All attributes of arrays are kept.
///
/// A rank that makes one part reads it once and has that part of each graph in memory. A rank that makes
/// several parts reads each of them twice and has one in memory at a time. Time O(vertices + arcs log
/// ghosts).
class graph_divider final : public set_divider {
 public:
  /// Divides in one process, for `repartition_set`.
  graph_divider();
  /// Divides by several ranks: `ranks`, with the same numbers. `ranks` must outlive this object.
  explicit graph_divider(rank_exchange& ranks);

  /// Plans the division of all graphs among `parts` ranks, for `repartition_set` and
  /// `perdure::mpi::repartition`. Throws what reading a graph throws (`set_graph`).
  set_division plan(const std::shared_ptr<const untyped_arrays>& before, std::uint32_t parts) override;
  /// Stores one part of each graph. `plan` must have been called. Throws what reading and storing throw.
  void store_part(const std::shared_ptr<const untyped_arrays>& before, untyped_arrays& made,
                  std::uint32_t part) override;

 private:
  struct planned_graph {
    std::string name;
    std::vector<std::uint64_t> bounds;  // of the new parts
    detail::stored_shape shape;
    std::optional<rank_graph> made;  // where this rank makes one part only
  };

  planned_graph plan_graph(const set_graph& graph, int parts);

  lone_exchange alone_;
  rank_exchange& ranks_;
  std::vector<planned_graph> graphs_;
};

}  // namespace perdure::graph
