// perdure graph louvain, perdure graph lpa: communities.
#include <limits>
#include <memory>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/connected_components.hpp>
#include <string>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "graph_options.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct wanted_louvain : analysis_options {
  graph::louvain_options how;
};
struct wanted_labels : analysis_options {
  graph::label_propagation_options how;
};

template <class Graph>
void tell(analysis& run, const analysis_options& given, const Graph& graph,
          const graph::community_result& result, const json& more) {
  const graph::community_summary& found = result.summary;
  if (!given.output.empty()) {
    const std::vector<graph::vertex_id> ids = graph::component_ids(graph, result.labels);
    run.write_vertices(graph, {{"community"}},
                       [&](value_line& line, graph::vertex_handle v) { line(ids[v]); });
  }
  json findings{{"communities", found.communities},
                {"largest", found.largest},
                {"modularity", found.modularity},
                {"iterations", found.iterations}};
  findings.update(more);
  run.report(findings, [&](output& out) {
    out.write("communities    " + grouped(found.communities) + " " + run.times("communities") + "\n");
    out.write("modularity     " + std::to_string(found.modularity) + ", after " +
              counted(found.iterations, "iteration", "iterations") + "\n");
    out.write("largest        " + grouped(found.largest) + " of " +
              counted(run.vertices(), "vertex", "vertices") + "\n");
  });
}

void find_by_modularity(const wanted_louvain& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    graph::louvain_options how = given.how;
    how.threads = given.threads;
    const graph::community_result found = run.timed([&] { return graph::louvain(graph, how); });
    run.check([&] { return graph::verify_communities(graph, found, how.resolution); });
    tell(run, given, graph, found, {{"levels", found.summary.levels}, {"resolution", how.resolution}});
  });
}

void find_by_labels(const wanted_labels& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    graph::label_propagation_options how = given.how;
    how.threads = given.threads;
    const graph::community_result found = run.timed([&] { return graph::label_propagation(graph, how); });
    run.check([&] { return graph::verify_communities(graph, found); });
    tell(run, given, graph, found, json::object());
  });
}

}  // namespace

void add_community_commands(command graph_command) {
  const std::string columns = "id, and the smallest id of its community";
  auto given = std::make_shared<wanted_louvain>();
  command louvain = add_analysis_command(
      graph_command, "louvain",
      "Communities with many edges within and few between them, by Louvain's method", columns, *given);
  add_louvain_options(louvain, given->how);
  louvain.callback([given] { find_by_modularity(*given); });

  auto given_labels = std::make_shared<wanted_labels>();
  command labels = add_analysis_command(
      graph_command, "lpa", "Communities by label propagation, which is faster and worse than louvain",
      columns, *given_labels);
  labels
      .add_number(
          "--iterations", 1, std::numeric_limits<unsigned>::max(), "End after so many at the latest",
          [given_labels](std::uint64_t n) { given_labels->how.iterations = static_cast<unsigned>(n); })
      .default_text(std::to_string(given_labels->how.iterations));
  labels.callback([given_labels] { find_by_labels(*given_labels); });
}

}  // namespace perdure::cli
