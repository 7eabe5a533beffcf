// Breadth-first search in a graph that ranks have together.
#pragma once

#include <cstdint>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <vector>

namespace perdure::graph {

/// Parent of a vertex to which there is no path.
inline constexpr vertex_id no_parent = ~vertex_id{0};

/// Answer of `bfs` on a graph of ranks.
struct rank_bfs_result {
  /// Number of edges from the source to each own vertex; `unreached` if there is no path.
  std::vector<std::uint32_t> levels;
  /// Id of the vertex before each own vertex on a shortest path. The source is its own parent; `no_parent` if
  /// there is no path.
  std::vector<vertex_id> parents;
  bfs_summary summary;  ///< counts for the whole graph, the same on all ranks
};

/// Collective. Finds the distances from the vertex with the number `source`. Levels and counts are those of
/// `bfs` in one process. Of several possible parents the one with the smallest id is chosen. So the answer
/// does not depend on the number of ranks and threads, nor on the order of vertices. Weights are ignored.
///
/// Method: level by level. Each vertex of a level is sent once to each rank that sees it, in 4 bytes; ranks
/// that see none get no message. If vertices have ids, these are sent first to the same ranks, in 8 bytes
/// each. O(vertices + arcs) for all ranks together; 20 bytes for each own vertex, and 8 for each place at
/// which another rank sees one.
///
/// Throws on all ranks
/// - `errc::invalid_argument` for a graph that is divided among other ranks, and if the ranks have different
///   sources;
/// - `errc::not_found` if `source` is not a vertex.
rank_bfs_result bfs(const rank_graph& graph, rank_exchange& ranks, vertex_id source, unsigned threads = 1);

}  // namespace perdure::graph
