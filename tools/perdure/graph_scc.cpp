// perdure graph scc: strongly connected components.
#include <memory>
#include <perdure/graph/strong_components.hpp>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

void find_components(const analysis_options& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::component_result result =
        run.timed([&] { return graph::strong_components(graph, given.threads); });
    const graph::component_summary& found = result.summary;
    run.check([&] { return graph::verify_strong_components(graph, result.labels); });
    if (!given.output.empty()) {
      const std::vector<graph::vertex_id> ids = graph::component_ids(graph, result.labels);
      run.write_vertices(graph, {{"component"}},
                         [&](value_line& line, graph::vertex_handle v) { line(ids[v]); });
    }
    run.report({{"components", found.components}, {"largest", found.largest}}, [&](output& out) {
      out.write("components     " + grouped(found.components) + " (strongly connected) " +
                run.times("components") + "\n");
      out.write("largest        " + grouped(found.largest) + " of " +
                counted(run.vertices(), "vertex", "vertices") + "\n");
    });
  });
}

}  // namespace

void add_strong_components_command(command graph_command) {
  auto given = std::make_shared<analysis_options>();
  command components = add_analysis_command(graph_command, "scc",
                                            "Strongly connected components: vertices that lead to each other",
                                            "id, and the smallest id of its component", *given);
  components.example("web.store", "Count the strongly connected components");
  components.callback([given] { find_components(*given); });
}

}  // namespace perdure::cli
