// perdure graph properties: what vertices and edges have beside, as typed columns.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <perdure/graph/property_list.hpp>
#include <string>
#include <vector>

#include "attached_graph.hpp"
#include "command.hpp"
#include "graph_options.hpp"
#include "stored_arrays.hpp"
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

json rows_of(const std::vector<graph::property_info>& columns) {
  json rows = json::array();
  for (const graph::property_info& one : columns)
    rows.push_back({{"name", one.name},
                    {"dtype", dtype_of(one.type)},
                    {"count", one.count},
                    {"object", one.object},
                    {"is_array", one.is_array}});
  return rows;
}

void write_columns(output& out, const char* of, const std::vector<graph::property_info>& columns) {
  for (const graph::property_info& one : columns) {
    std::string line = std::string(of) + "  " + printable_name(one.name);
    if (line.size() < 30) line.resize(30, ' ');
    out.write(line + ' ' + printable_name(dtype_of(one.type)) + "  " + grouped(one.count) + "  " +
              (one.is_array ? "array " : "") + printable_name(one.object) + "\n");
  }
}

void list_properties(const property_options& given) {
  attached_graph attached(given.store, given.graph, settings_for(given.verify, given.budget));
  const graph::property_list found = graph::properties_of(attached.graph(), attached.arrays());
  if (given.as_json) {
    print({{"store", given.store.string()},
           {"graph", attached.graph().name()},
           {"vertex_properties", rows_of(found.vertices)},
           {"edge_properties", rows_of(found.edges)}});
    return;
  }
  output out = output::standard();
  if (found.vertices.empty() && found.edges.empty()) out.write("no properties\n");
  write_columns(out, "vertex", found.vertices);
  write_columns(out, "edge  ", found.edges);
  out.finish();
}

}  // namespace

void add_graph_properties_command(command graph_command) {
  auto given = std::make_shared<property_options>();
  command list = graph_command.add_command(
      "properties", "List what the graph's vertices and edges have beside: columns, their types and lengths");
  list.add_path("STORE", given->store, store_to_read).required();
  add_graph_options(list, given->graph, given->budget);
  add_verify_option(list, given->verify);
  add_wait_option(list);
  add_json_option(list, given->as_json);
  list.example("web.store", "List the properties that vertices and edges have");
  list.callback([given] { list_properties(*given); });
}

}  // namespace perdure::cli
