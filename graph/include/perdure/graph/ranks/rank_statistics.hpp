// Sizes of a graph that ranks have together, and of what each rank has of it.
#pragma once

#include <cstdint>
#include <perdure/graph/degrees.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <vector>

namespace perdure::graph {

/// The part of a graph that one rank has.
struct rank_part {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t cut_arcs = 0;    ///< arcs to vertices of other ranks
  std::uint64_t ghosts = 0;      ///< vertices of other ranks that are neighbours of own ones
  std::uint64_t neighbours = 0;  ///< other ranks that it exchanges messages with
};

struct rank_statistics {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t edges = 0;       ///< an edge counts once, though it is in the rows of both its ends
  std::uint64_t self_loops = 0;  ///< edges that join a vertex with itself
  std::uint64_t isolated = 0;    ///< vertices without an arc
  degree_distribution degrees{std::map<std::uint64_t, std::uint64_t>()};
  std::vector<rank_part> parts;  ///< by rank
};

/// Collective. Counts vertices, arcs and degrees of the whole graph, with loops and repetitions, and what is
/// where. Returns the same on all ranks. Edges, loops, isolated vertices and degrees are those of `degrees`
/// in one process.
///
/// Throws `errc::invalid_argument` for a graph of other ranks. Weights are ignored. Sends 16 bytes for each
/// different degree, to rank 0 and back.
rank_statistics statistics(const rank_graph& graph, rank_exchange& ranks);

}  // namespace perdure::graph
