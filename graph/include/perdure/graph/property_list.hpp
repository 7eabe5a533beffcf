// Lists the properties of a graph in a store: names, weights, times, and arrays (`properties.hpp`).
#pragma once

#include <cstdint>
#include <perdure/array_store.hpp>
#include <perdure/data_type.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <string>
#include <vector>

namespace perdure::graph {

/// A property: a column with a value for each vertex, edge or arc.
struct property_info {
  std::string name;         ///< name of the property
  data_type type;           ///< type of a value
  std::uint64_t count = 0;  ///< number of values
  std::string object;       ///< name of the object or the array in the store
  /// The property is an array of the `array_store`; otherwise it is part of the graph.
  bool is_array = false;
};

/// All properties of a graph.
struct property_list {
  std::vector<property_info> vertices;  ///< properties of vertices
  std::vector<property_info> edges;     ///< properties of edges
};

/// Lists the properties of a graph and of its frozen form; those of the frozen form belong to the CSR without
/// additions. `arrays` must be those of the graph's store. O(arrays).
property_list properties_of(const stored_graph& graph, const array_store& arrays);

}  // namespace perdure::graph
