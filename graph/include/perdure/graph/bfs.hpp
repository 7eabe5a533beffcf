// Breadth-first search.
#pragma once

#include <cstdint>
#include <limits>
#include <perdure/graph/vertex_index.hpp>
#include <vector>

namespace perdure::graph {

inline constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

struct bfs_result {
  std::vector<std::uint32_t> levels;     ///< by handle; `unreached` where there is no path
  std::vector<std::uint64_t> histogram;  ///< number of vertices at each level
  std::uint64_t reached = 0;
};

/// Distances in edges from `source`, along the direction of the edges where the graph is directed.
///
/// Level-synchronous. On undirected graphs it changes direction as in Beamer, Asanović, Patterson:
/// "Direction-Optimizing Breadth-First Search" (SC 2012).
/// Throws `errc::not_found` when `source` is not a vertex. O(vertices + arcs).
bfs_result bfs(const vertex_index& graph, vertex_id source, unsigned threads = 1);

}  // namespace perdure::graph
