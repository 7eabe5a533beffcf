// Attributes that files have for edges, beside ends, weights and times.
#pragma once

#include <cstdint>
#include <perdure/graph/edge.hpp>
#include <string>
#include <vector>

namespace perdure::graph {

/// One attribute of the edges that have it.
struct edge_attribute {
  std::string name;                    ///< name of the attribute in the file
  bool is_text = false;                ///< the values are texts; otherwise all are numbers
  std::vector<std::uint64_t> edges{};  ///< indices in `attributed_edges::edges`, in the order of the file
  std::vector<std::string> values{};   ///< value of each of these edges, as the file writes it
};

/// The edges of a file with their attributes.
struct attributed_edges {
  std::vector<edge> edges{};                 ///< all edges, in the order of the file
  std::vector<double> weights{};             ///< weight of each edge; empty: the file has none
  bool both_ends = false;                    ///< the source handed out each edge in both directions
  std::vector<edge_attribute> attributes{};  ///< attributes of the edges
};

}  // namespace perdure::graph
