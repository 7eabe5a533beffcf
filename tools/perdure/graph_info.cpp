// perdure graph info: size and kind of the graph in a store.
#include <filesystem>
#include <memory>
#include <perdure/graph/degrees.hpp>
#include <perdure/graph/property_list.hpp>
#include <string>
#include <vector>

#include "attached_graph.hpp"
#include "command.hpp"
#include "graph_options.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct info_options {
  std::filesystem::path store;
  std::string graph;
  std::uint64_t budget = 0;
  std::size_t top = 0;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

std::vector<std::string> names_of(const std::vector<graph::property_info>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const graph::property_info& one : columns) names.push_back(one.name);
  return names;
}

void write_properties(output& out, const std::string& of, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::string line;
  for (const std::string& name : names) line += (line.empty() ? "" : ", ") + printable_name(name);
  out.write("properties     " + of + line + "\n");
}

void show_graph(const info_options& given) {
  attached_graph attached(given.store, given.graph, settings_for(given.verify, given.budget));
  const graph::stored_graph& g = attached.graph();
  const char* const layout = attached.is_set()     ? "rows of ranks"
                             : g.list() != nullptr ? "adjacency list"
                                                   : "csr";
  std::vector<graph::ranked_vertex> top;
  if (given.top != 0)
    top = g.view().visit([&](const auto& view) {
      return graph::highest(view, given.top, [&](graph::vertex_handle v) { return view.degree(v); });
    });
  const graph::property_list properties = graph::properties_of(g, attached.arrays());
  const std::vector<std::string> of_vertices = names_of(properties.vertices);
  const std::vector<std::string> of_edges = names_of(properties.edges);
  const std::uint64_t epoch = attached.epoch();
  if (given.as_json) {
    json value{{"store", given.store.string()},
               {"epoch", epoch},
               {"graph", g.name()},
               {"layout", layout},
               {"undirected", g.undirected()},
               {"weighted", g.has_weights()},
               {"vertices", g.vertices()},
               {"edges", g.edges()},
               {"self_loops", g.self_loops()},
               {"stored_neighbours", g.arcs()},
               {"vertex_properties", of_vertices},
               {"edge_properties", of_edges},
               {"attach_seconds", attached.seconds()}};
    if (given.top != 0) {
      value["top"] = json::array();
      for (const graph::ranked_vertex& v : top) {
        json one{{"id", v.id}};
        if (g.names() != nullptr) one["name"] = g.name_of(v.id);
        one["neighbours"] = static_cast<std::uint64_t>(v.value);
        value["top"].push_back(std::move(one));
      }
    }
    print(value);
    return;
  }
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(attached.seconds()) + ", at epoch " + grouped(epoch) + "\n");
  out.write("graph          " + summary_of(g.vertices(), g.edges(), g.undirected()) + "\n");
  out.write("kept as        " + std::string(layout) + (g.has_weights() ? ", with weights\n" : "\n"));
  out.write("self loops     " + grouped(g.self_loops()) + "\n");
  out.write("neighbours     " + grouped(g.arcs()) + " stored\n");
  write_properties(out, "of vertices: ", of_vertices);
  write_properties(out, "of edges:    ", of_edges);
  for (const graph::ranked_vertex& v : top)
    out.write("vertex " + printable_name(g.name_of(v.id)) + "  " +
              counted(static_cast<std::uint64_t>(v.value), "neighbour", "neighbours") + "\n");
  out.finish();
}

}  // namespace

void add_graph_info_command(command graph_command) {
  auto given = std::make_shared<info_options>();
  command info = graph_command.add_command("info", "Show size and kind of the graph in a store");
  info.add_path("STORE", given->store, store_to_read).required();
  add_graph_options(info, given->graph, given->budget);
  info.add_number("--top", 0, 1'000'000'000, "Also list the N vertices with the most neighbours",
                  [given](std::uint64_t n) { given->top = n; });
  add_verify_option(info, given->verify);
  add_wait_option(info);
  add_json_option(info, given->as_json);
  info.example("web.store --top 10", "Show the size of a graph and its ten largest vertices");
  info.callback([given] { show_graph(*given); });
}

}  // namespace perdure::cli
