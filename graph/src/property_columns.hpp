// The properties of a graph in a store, as columns of a file.
#pragma once

#include <perdure/array_store.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/graph/write_graph.hpp>
#include <string>
#include <vector>

namespace perdure::graph::detail {

struct property_columns {
  std::vector<written_column> vertices;
  std::vector<written_column> edges;
  std::vector<std::string> left_out;  // names, with the reason
};

/// Copies the properties of a CSR that files have room for: numbers and texts. Those of a growing graph's
/// frozen form are left out.
property_columns property_columns_of(const stored_graph& graph, array_store& arrays);

}  // namespace perdure::graph::detail
