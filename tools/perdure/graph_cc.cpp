// perdure graph cc: connected components.
#include <filesystem>
#include <memory>
#include <perdure/graph/connected_components.hpp>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct components_options : analysis_options {
  std::filesystem::path labels;
};

void find_components(const components_options& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::component_result result =
        run.timed([&] { return graph::connected_components(graph, given.threads); });
    const graph::component_summary& found = result.summary;
    run.check([&] { return graph::verify_components(graph, result.labels); });
    if (!given.output.empty() || !given.labels.empty()) {
      const std::vector<graph::vertex_id> ids = graph::component_ids(graph, result.labels);
      const auto write = [&](value_line& line, graph::vertex_handle v) { line(ids[v]); };
      run.write_vertices(graph, {{"component"}}, write);
      run.write_vertices_to(given.labels, ' ', graph, {{"component"}}, write);
    }
    run.report({{"components", found.components}, {"largest", found.largest}}, [&](output& out) {
      out.write("components     " + grouped(found.components) +
                (graph.symmetric() ? "" : " (weakly connected)") + " " + run.times("components") + "\n");
      out.write("largest        " + grouped(found.largest) + " of " +
                counted(run.vertices(), "vertex", "vertices") + "\n");
    });
  });
}

}  // namespace

void add_components_command(command graph_command) {
  auto given = std::make_shared<components_options>();
  command components = add_analysis_command(
      graph_command, "cc", "Connected components (of a directed graph, the weakly connected ones)",
      "id, and the smallest id of its component", *given);
  components.add_path(
      "--labels", given->labels,
      "Write a line 'id label' for each vertex, sorted by id, the label being the smallest id of "
      "its component; '-' is standard output");
  components.example("web.store", "Count the components");
  components.example("web.store --output components.npy", "Write the component of each vertex, for NumPy");
  components.callback([given] {
    require_own_output("--labels", given->labels, given->as_json);
    find_components(*given);
  });
}

}  // namespace perdure::cli
