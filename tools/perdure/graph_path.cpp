// perdure graph path: the shortest path between two vertices.
#include <memory>
#include <perdure/graph/shortest_path.hpp>
#include <string>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct wanted_path : analysis_options {
  std::string source;
  std::string target;
};

void find_path(const wanted_path& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::vertex_handle from = run.vertex_of(graph, given.source);
    const graph::vertex_handle to = run.vertex_of(graph, given.target);
    const graph::path_result found =
        run.timed([&] { return graph::shortest_path(graph, from, to, given.threads); });
    run.check([&] { return graph::verify_path(graph, from, to, found); });
    run.write_lines({{.name = "id", .is_vertex = true}}, [&](graph::result_table& file) {
      for (const graph::vertex_handle v : found.vertices) file.line(graph::vertex_value{graph.id(v)});
    });
    json ids = json::array();
    std::string written;
    for (const graph::vertex_handle v : found.vertices) {
      ids.push_back(graph.id(v));
      written += (written.empty() ? "" : " ") + printable_name(run.name_of(graph.id(v)));
    }
    const bool is_there = !found.vertices.empty();
    json findings{{"source", graph.id(from)}, {"target", graph.id(to)}, {"found", is_there}, {"path", ids}};
    run.add_name(findings, "source_name", graph.id(from));
    run.add_name(findings, "target_name", graph.id(to));
    run.add_names(findings, "path_names", ids);
    if (is_there) {
      findings["length"] = found.vertices.size() - 1;
      findings["distance"] = found.distance;
    }
    run.report(findings, [&](output& out) {
      if (!is_there) {
        out.write("no path        from vertex " + printable_name(run.name_of(graph.id(from))) +
                  " to vertex " + printable_name(run.name_of(graph.id(to))) + " " + run.times("search") +
                  "\n");
        return;
      }
      out.write("path           of " + counted(found.vertices.size() - 1, "arc", "arcs") + ", distance " +
                std::to_string(found.distance) + " " + run.times("search") + "\n");
      out.write("vertices       " + written + "\n");
    });
  });
}

}  // namespace

void add_path_command(command graph_command) {
  auto given = std::make_shared<wanted_path>();
  command path = add_analysis_command(
      graph_command, "path",
      "The shortest path between two vertices, by the arcs' weights where they have some",
      "the ids on the path instead, in their order", *given);
  add_vertex_option(path, "--source", given->source, "Vertex to start from");
  add_vertex_option(path, "--target", given->target, "Vertex to end at");
  path.example("roads.store --source 42 --target 7", "Find the shortest way from vertex 42 to vertex 7");
  path.callback([given] { find_path(*given); });
}

}  // namespace perdure::cli
