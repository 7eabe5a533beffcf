// Values that files have for vertices, beside ids and names.
#pragma once

#include <perdure/graph/vertex.hpp>
#include <string>
#include <vector>

namespace perdure::graph {

/// One attribute of the vertices that have it.
struct vertex_attribute {
  std::string name;
  bool is_text = false;               ///< else all values are numbers
  std::vector<vertex_id> vertices{};  ///< in the order of the file
  std::vector<std::string> values{};  ///< one for each of them, as the file writes it
};

}  // namespace perdure::graph
