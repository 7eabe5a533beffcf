// Lists columns that belong to a graph, and arrays that are called as its properties are.
#include <perdure/graph/property_list.hpp>

namespace perdure::graph {
namespace {

/// The arrays of a group of `properties`.
void add_arrays(std::vector<property_info>& to, const array_store& arrays, const std::string& group) {
  for (const std::string& id : arrays.list(group)) {
    if (id.size() <= group.size()) continue;
    const array_info info = arrays.array(id).info();
    to.push_back({id.substr(group.size() + 1), info.type, info.dims.elements(), id, true});
  }
}

}  // namespace

property_list properties_of(const stored_graph& graph, const array_store& arrays) {
  property_list found;
  const std::string& name = graph.name();
  std::vector<std::string> owners{name};
  if (graph.names() != nullptr)
    found.vertices.push_back({"name", element_kind::text, graph.names()->size(), name + names_suffix});
  if (graph.list() == nullptr) {
    if (graph.has_weights()) found.edges.push_back({"weight", element_kind::float64, graph.arcs(), name});
  } else {
    if (graph.weights() != nullptr)
      found.edges.push_back({"weight", element_kind::float64, graph.edges(), name + weights_suffix});
    if (graph.times() != nullptr)
      found.edges.push_back({"time", element_kind::float64, graph.edges(), name + times_suffix});
    if (graph.frozen() != frozen_state::none) owners.push_back(name + frozen_suffix);
  }
  for (const std::string& owner : owners) {
    add_arrays(found.vertices, arrays, owner + "/vertices");
    add_arrays(found.edges, arrays, owner + "/edges");
  }
  return found;
}

}  // namespace perdure::graph
