// Names of vertices: ids in the input, and dense numbers (handles) in algorithms.
#pragma once

#include <cstdint>
#include <limits>

namespace perdure::graph {

/// A vertex as the input names it. Every 64-bit value is a valid id, and ids may have gaps.
using vertex_id = std::uint64_t;

/// Dense number of a vertex: the index into an algorithm's arrays.
using vertex_handle = std::uint32_t;
/// Stands for no vertex.
inline constexpr vertex_handle no_vertex = std::numeric_limits<vertex_handle>::max();
/// Largest number of vertices that a graph for algorithms may have: 2^32 - 1.
inline constexpr std::uint64_t most_vertices = no_vertex;

/// Consecutive ids.
struct id_range {
  vertex_id first = 0;      ///< smallest id
  std::uint64_t count = 0;  ///< number of ids
};

/// Whether edges have a direction.
enum class direction : std::uint8_t {
  directed,    ///< an edge is stored at its source
  undirected,  ///< an edge is stored at both ends
};

}  // namespace perdure::graph
