// How vertices are called: by the input's ids, and inside algorithms by dense numbers.
#pragma once

#include <cstdint>
#include <limits>

namespace perdure::graph {

/// A vertex as the input names it. Every 64-bit value is a valid id; ids may have gaps.
using vertex_id = std::uint64_t;

/// Dense number of a vertex: the index into an algorithm's arrays.
using vertex_handle = std::uint32_t;
inline constexpr vertex_handle no_vertex = std::numeric_limits<vertex_handle>::max();
/// So many vertices can be numbered.
inline constexpr std::uint64_t most_vertices = no_vertex;

enum class direction : std::uint8_t {
  directed,    ///< an edge is stored with its source
  undirected,  ///< an edge is stored with both ends
};

}  // namespace perdure::graph
