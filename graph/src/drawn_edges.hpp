// All edges of a source, in memory, as many threads have drawn them.
#pragma once

#include <cstdint>
#include <perdure/graph/edge_source.hpp>
#include <vector>

namespace perdure::graph::detail {

struct short_edge {
  std::uint32_t source;
  std::uint32_t target;
};

/// Some edges. Those with ids below 2^32 are kept short; once vertices are numbered, all are.
struct edge_chunk {
  std::vector<short_edge> narrow;
  std::vector<edge> wide;      // or these
  std::vector<double> values;  // one for each, where they were asked for

  std::size_t size() const noexcept { return wide.empty() ? narrow.size() : wide.size(); }
};

struct drawn_edges {
  std::vector<edge_chunk> chunks;
  vertex_id largest_id = 0;
  std::uint64_t edges = 0;
  id_range declared;                // vertices whether edges name them or not
  std::vector<vertex_id> vertices;  // the same, in no order, with repetitions
};

/// In no particular order. Throws what the source throws: the error that stands first in the input.
drawn_edges draw_edges(edge_source& source, unsigned threads, bool with_values);

}  // namespace perdure::graph::detail
