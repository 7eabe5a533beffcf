// Divides the graphs of a set of stores between vertices when the set is divided among another number of
// ranks.
//
//     perdure::graph::graph_divider graphs;
//     perdure::repartition_set("square.set", 8, {}, &graphs);
//
// By the ranks of an MPI program, as many as the set shall have:
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

/// The attribute of an array that names the graph whose vertices its elements belong to.
inline constexpr std::string_view graph_of_array = "graph";

/// Divides each graph of the set as if the new ranks had made it: between vertices, so that parts have about
/// as many arcs each, with the ghosts and the plan of each part. Arrays that name a graph (`graph_of_array`)
/// and have an element for each vertex are divided at the same vertices, along the first dimension that is as
/// long as there are vertices. Attributes of all arrays stay.
///
/// A rank that makes one part reads it once, and has that part of each graph in memory. One that makes
/// several parts reads each of them twice, and has one in memory at a time. Time O(vertices + arcs log
/// ghosts).
class graph_divider final : public set_divider {
 public:
  /// For `repartition_set`.
  graph_divider();
  /// For a division by several ranks, which `ranks` are, with the same numbers. `ranks` must outlive this.
  explicit graph_divider(rank_exchange& ranks);

  set_division plan(const std::shared_ptr<const untyped_arrays>& before, std::uint32_t parts) override;
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
