// perdure graph sssp: shortest paths from one vertex.
#include <limits>
#include <memory>
#include <perdure/graph/sssp.hpp>
#include <string>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct wanted_distances : analysis_options {
  std::string source;
  double delta = 0;
};

void find_distances(const wanted_distances& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::vertex_handle source = run.vertex_of(graph, given.source);
    const graph::sssp_result result = run.timed(
        [&] { return graph::sssp(graph, source, {.delta = given.delta, .threads = given.threads}); });
    const graph::sssp_summary& found = result.summary;
    run.check([&] { return graph::verify_sssp(graph, source, result.distances); });
    run.write_vertices(graph, {{"distance", true}}, [&](value_line& line, graph::vertex_handle v) {
      if (result.distances[v] != std::numeric_limits<double>::infinity()) line(result.distances[v]);
    });
    const bool weighted = graph::detail::knows_weights(graph);
    json findings{{"source", graph.id(source)}};
    run.add_name(findings, "source_name", graph.id(source));
    findings.update({{"reached", found.reached},
                     {"farthest", found.farthest},
                     {"weighted", weighted},
                     {"delta", found.delta}});
    run.report(findings, [&](output& out) {
      out.write("reached        " + grouped(found.reached) + " of " +
                counted(run.vertices(), "vertex", "vertices") + " from vertex " +
                printable_name(run.name_of(graph.id(source))) + " " + run.times("search") + "\n");
      out.write("farthest       at distance " + std::to_string(found.farthest) +
                (weighted ? "" : " (each arc counts 1: the graph has no weights)") + "\n");
    });
  });
}

}  // namespace

void add_sssp_command(command graph_command) {
  auto given = std::make_shared<wanted_distances>();
  command paths = add_analysis_command(
      graph_command, "sssp", "Shortest paths: the distance of every vertex from one, by the arcs' weights",
      "id and distance of each vertex reached", *given);
  add_vertex_option(paths, "--source", given->source, "Vertex to start from");
  paths.add_real("--delta", 0, std::numeric_limits<double>::max(), given->delta,
                 "Width of a step of delta-stepping; 0: chosen by the weights");
  paths.example("roads.store --source 42 --output distances.csv",
                "Write the distance of each vertex by weights");
  paths.callback([given] { find_distances(*given); });
}

}  // namespace perdure::cli
