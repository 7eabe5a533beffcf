// Sizes of a graph that ranks hold together, and of each rank's part.
#pragma once

#include <cstdint>
#include <perdure/graph/degrees.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <vector>

namespace perdure::graph {

/// Sizes of the part that one rank has.
struct rank_part {
  std::uint64_t vertices = 0;    ///< own vertices
  std::uint64_t arcs = 0;        ///< arcs in their lists
  std::uint64_t cut_arcs = 0;    ///< arcs to vertices of other ranks
  std::uint64_t ghosts = 0;      ///< vertices of other ranks that are neighbours of own ones
  std::uint64_t neighbours = 0;  ///< other ranks that this one exchanges messages with
};

/// Sizes of the whole graph and of its parts.
struct rank_statistics {
  std::uint64_t vertices = 0;    ///< vertices of the whole graph
  std::uint64_t arcs = 0;        ///< arcs of the whole graph: an edge has two, a loop has one
  std::uint64_t edges = 0;       ///< edges; each counts once
  std::uint64_t self_loops = 0;  ///< edges from a vertex to itself
  std::uint64_t isolated = 0;    ///< vertices without an arc
  /// Distribution of the degrees of all vertices.
  degree_distribution degrees{std::map<std::uint64_t, std::uint64_t>()};
  std::vector<rank_part> parts;  ///< sizes of each rank's part
};

/// Collective. Counts the vertices, arcs and degrees of the whole graph, with loops and parallel edges, and
/// the sizes of all parts. Returns the same on all ranks. Edges, loops, isolated vertices and degrees are
/// those of `degrees` in one process. Weights are ignored.
///
/// Sends 16 bytes for each different degree, to rank 0 and back. Throws `errc::invalid_argument` for a graph
/// that is divided among other ranks.
rank_statistics statistics(const rank_graph& graph, rank_exchange& ranks);

}  // namespace perdure::graph
