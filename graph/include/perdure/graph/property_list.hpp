// The properties that a graph in a store has: names, weights, times, and arrays (`properties.hpp`).
#pragma once

#include <cstdint>
#include <perdure/array_store.hpp>
#include <perdure/data_type.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <string>
#include <vector>

namespace perdure::graph {

/// One property: a column with a value for each vertex, or for each edge or arc.
struct property_info {
  std::string name;
  data_type type;
  std::uint64_t count = 0;  ///< number of values
  std::string object;       ///< name of the object or the array in the store
  bool is_array = false;    ///< `array_store` has it; else it is part of the graph
};

struct property_list {
  std::vector<property_info> vertices;
  std::vector<property_info> edges;
};

/// Lists the properties of the graph, and those of its frozen form, which are for the CSR without additions.
/// `arrays` are those of the graph's store. O(arrays).
property_list properties_of(const stored_graph& graph, const array_store& arrays);

}  // namespace perdure::graph
