// Rows of some parts of a graph as those of another part.
#pragma once

#include <cstdint>
#include <perdure/graph/detail/held_span.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/vertex.hpp>
#include <span>
#include <vector>

namespace perdure::graph::detail {

/// Neighbours in consecutive rows of a part, by the part's own numbers, which are all below its vertices and
/// ghosts together.
struct part_rows {
  vertex_id first = 0;          // of the part's vertices
  std::uint64_t own = 0;        // number of the part's vertices
  held_span<vertex_id> ghosts;  // numbers of the part's ghosts, ascending
  held_span<vertex_handle> targets;

  std::uint64_t places() const noexcept { return own + ghosts.size(); }
  vertex_id number(std::uint64_t place) const noexcept {
    return place < own ? first + place : ghosts[place - own];
  }
};

/// Returns the plan, offsets and targets of the rows of a rank, which are those of `parts` one after the
/// other. Each neighbour is looked up once for each part, and not for each arc. Throws `unsupported` for more
/// than 2^32 - 1 vertices and ghosts.
rank_graph_parts joined_rows(std::vector<std::uint64_t> bounds, int rank, std::vector<std::uint64_t> offsets,
                             std::span<const part_rows> parts);

}  // namespace perdure::graph::detail
