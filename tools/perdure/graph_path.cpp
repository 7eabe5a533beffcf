// perdure graph path: the shortest path between two vertices.
#include <limits>
#include <memory>
#include <perdure/graph/shortest_path.hpp>
#include <string>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct wanted_path : analysis_options {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
};

void find_path(const wanted_path& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::vertex_handle from = run.vertex_of(graph, given.source);
    const graph::vertex_handle to = run.vertex_of(graph, given.target);
    const graph::path_result found = run.timed([&] { return graph::shortest_path(graph, from, to); });
    run.check([&] { return graph::verify_path(graph, from, to, found); });
    run.write_lines({{"id"}}, [&](result_file& file) {
      for (const graph::vertex_handle v : found.vertices) file.line(graph.id(v));
    });
    json ids = json::array();
    std::string written;
    for (const graph::vertex_handle v : found.vertices) {
      ids.push_back(graph.id(v));
      written += (written.empty() ? "" : " ") + std::to_string(graph.id(v));
    }
    const bool is_there = !found.vertices.empty();
    json findings{{"source", given.source}, {"target", given.target}, {"found", is_there}, {"path", ids}};
    if (is_there) {
      findings["length"] = found.vertices.size() - 1;
      findings["distance"] = found.distance;
    }
    run.report(findings, [&](output& out) {
      if (!is_there) {
        out.write("no path        from vertex " + std::to_string(given.source) + " to vertex " +
                  std::to_string(given.target) + " " + run.times("search") + "\n");
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
  add_source_option(path, given->source);
  path.add_number("--target", 0, std::numeric_limits<std::uint64_t>::max(),
                  "Vertex to end at, as the input names it", [given](std::uint64_t n) { given->target = n; })
      .required();
  path.callback([given] { find_path(*given); });
}

}  // namespace perdure::cli
