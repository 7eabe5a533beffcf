// Breadth-first search in a graph that ranks have together.
#pragma once

#include <cstdint>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <vector>

namespace perdure::graph {

/// The parent of a vertex to which there is no path.
inline constexpr vertex_id no_parent = ~vertex_id{0};

struct rank_bfs_result {
  /// By own vertex: edges from the source; `unreached` where there is no path.
  std::vector<std::uint32_t> levels;
  /// By own vertex: the id of the vertex before it on a shortest path; the source's is itself.
  std::vector<vertex_id> parents;
  bfs_summary summary;  ///< for the whole graph, the same on all ranks
};

/// Collective. Finds the distances from the vertex with the number `source`. Levels and summary are those of
/// `bfs` in one process. Of several vertices before one on shortest paths the parent is the one with the
/// smallest id, so that the answer is the same for any number of ranks and threads, and any order of
/// vertices.
///
/// Level by level: each vertex of a level is sent once to each rank that sees it, in 4 bytes, and ranks that
/// see none get no message. Before, ids are sent to the same ranks, in 8 bytes, where vertices have ids.
/// Throws on all ranks `errc::invalid_argument` for a graph that is divided among other ranks and where the
/// ranks have different sources, and `errc::not_found` when the source is not a vertex. Weights are ignored.
/// O(vertices + arcs) for all ranks together; takes 20 bytes for each own vertex, and 8 for each place at
/// which another rank sees one.
rank_bfs_result bfs(const rank_graph& graph, rank_exchange& ranks, vertex_id source, unsigned threads = 1);

}  // namespace perdure::graph
