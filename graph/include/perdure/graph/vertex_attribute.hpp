// Attributes that files have for vertices, beside ids and names.
#pragma once

#include <perdure/graph/vertex.hpp>
#include <string>
#include <vector>

namespace perdure::graph {

/// One attribute of the vertices that have it.
struct vertex_attribute {
  std::string name;                   ///< name of the attribute in the file
  bool is_text = false;               ///< the values are texts; otherwise all are numbers
  std::vector<vertex_id> vertices{};  ///< the vertices, in the order of the file
  std::vector<std::string> values{};  ///< value of each of these vertices, as the file writes it
};

}  // namespace perdure::graph
