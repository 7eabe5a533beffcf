// perdure graph properties: what vertices and edges have beside, as typed columns.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "command.hpp"
#include "graph_options.hpp"
#include "stored_arrays.hpp"
#include "stored_graph.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct property_options {
  std::filesystem::path store;
  std::string graph;
  std::uint64_t budget = 0;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

struct property_column {
  std::string name;
  std::string dtype;
  std::uint64_t count;
  std::string object;  // what the store calls it
  bool is_array;
};

/// The arrays of a group of `graph::properties`.
void add_arrays(std::vector<property_column>& columns, const untyped_arrays& arrays,
                const std::string& group) {
  for (const std::string& id : arrays.list(group)) {
    if (id.size() <= group.size()) continue;
    const array_info info = arrays.info(id);
    columns.push_back({id.substr(group.size() + 1), dtype_of(info.type), info.dims.elements(), id, true});
  }
}

json rows_of(const std::vector<property_column>& columns) {
  json rows = json::array();
  for (const property_column& one : columns)
    rows.push_back({{"name", one.name},
                    {"dtype", one.dtype},
                    {"count", one.count},
                    {"object", one.object},
                    {"is_array", one.is_array}});
  return rows;
}

void write_columns(output& out, const char* of, const std::vector<property_column>& columns) {
  for (const property_column& one : columns) {
    std::string line = std::string(of) + "  " + printable_name(one.name);
    if (line.size() < 30) line.resize(30, ' ');
    out.write(line + ' ' + printable_name(one.dtype) + "  " + grouped(one.count) + "  " +
              (one.is_array ? "array " : "") + printable_name(one.object) + "\n");
  }
}

void list_properties(const property_options& given) {
  const attached_graph attached(given.store, given.graph, settings_for(given.verify, given.budget));
  std::vector<property_column> of_vertices;
  std::vector<property_column> of_edges;
  const std::string& name = attached.name;
  if (attached.names != nullptr)
    of_vertices.push_back({"name", "string", attached.names->size(), name + names_suffix, false});
  std::vector<std::string> owners{name};
  if (const auto* const list = std::get_if<const stored_graph*>(&attached.graph)) {
    const std::uint64_t edges = (*list)->edges();
    if (attached.weights != nullptr)
      of_edges.push_back({"weight", "float64", edges, name + weights_suffix, false});
    if (attached.store.find<stored_column>(name + times_suffix).first != nullptr)
      of_edges.push_back({"time", "float64", edges, name + times_suffix, false});
    if (attached.frozen.are_there()) owners.push_back(name + frozen_suffix);
  } else if (const auto* const rows = std::get<const graph::stored_csr*>(attached.graph);
             rows->has_weights()) {
    of_edges.push_back({"weight", "float64", rows->arcs(), name, false});
  }
  const auto arrays = untyped_arrays::of(detail::core_of(attached.store));
  for (const std::string& owner : owners) {
    add_arrays(of_vertices, *arrays, owner + "/vertices");
    add_arrays(of_edges, *arrays, owner + "/edges");
  }
  if (given.as_json) {
    print({{"store", given.store.string()},
           {"graph", name},
           {"vertex_properties", rows_of(of_vertices)},
           {"edge_properties", rows_of(of_edges)}});
    return;
  }
  output out = output::standard();
  if (of_vertices.empty() && of_edges.empty()) out.write("no properties\n");
  write_columns(out, "vertex", of_vertices);
  write_columns(out, "edge  ", of_edges);
  out.finish();
}

}  // namespace

void add_graph_properties_command(command graph_command) {
  auto given = std::make_shared<property_options>();
  command list = graph_command.add_command(
      "properties", "List what the graph's vertices and edges have beside: columns, their types and lengths");
  list.add_path("STORE", given->store, "The store's directory").required();
  add_graph_options(list, given->graph, given->budget);
  add_verify_option(list, given->verify);
  add_json_option(list, given->as_json);
  list.callback([given] { list_properties(*given); });
}

}  // namespace perdure::cli
