// Values that files have for edges, beside ends, weights and times.
#pragma once

#include <cstdint>
#include <perdure/graph/edge.hpp>
#include <string>
#include <vector>

namespace perdure::graph {

/// One attribute of the edges that have it.
struct edge_attribute {
  std::string name;
  bool is_text = false;                ///< else all values are numbers
  std::vector<std::uint64_t> edges{};  ///< places in `attributed_edges::edges`, in the order of the file
  std::vector<std::string> values{};   ///< one for each of them, as the file writes it
};

/// The edges of a file with their attributes.
struct attributed_edges {
  std::vector<edge> edges{};      ///< all edges, in the order of the file
  std::vector<double> weights{};  ///< one for each edge; empty: the file has none
  bool both_ends = false;         ///< each edge was handed out in both directions
  std::vector<edge_attribute> attributes{};
};

}  // namespace perdure::graph
