// perdure graph bc: on how many shortest paths vertices lie.
#include <memory>
#include <perdure/graph/betweenness.hpp>
#include <string>
#include <utility>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct wanted_scores : analysis_options {
  graph::betweenness_options how;
  bool is_normalized = false;
  std::uint64_t top = 10;
};

void score(const wanted_scores& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    graph::betweenness_options how = given.how;
    how.threads = given.threads;
    graph::betweenness_result found = run.timed([&] { return graph::betweenness(graph, how); });
    run.check([&] { return graph::verify_betweenness(graph, found); });
    if (given.is_normalized && graph.size() > 2) {
      const auto others = static_cast<double>(graph.size() - 1);
      const double pairs = others * (others - 1) / (graph.symmetric() ? 2 : 1);
      for (double& one : found.scores) one /= pairs;
    }
    run.write_vertices(graph, {{"betweenness", true}},
                       [&](value_line& line, graph::vertex_handle v) { line(found.scores[v]); });
    const std::vector<graph::vertex_handle> first =
        first_by(graph, given.top, [&](graph::vertex_handle v) { return found.scores[v]; });
    json top = json::array();
    for (const graph::vertex_handle v : first) {
      json one{{"id", graph.id(v)}};
      run.add_name(one, "name", graph.id(v));
      one["betweenness"] = found.scores[v];
      top.push_back(std::move(one));
    }
    const bool exact = found.sources.size() == graph.size();
    run.report({{"sources", found.sources.size()},
                {"exact", exact},
                {"normalized", given.is_normalized},
                {"top", top}},
               [&](output& out) {
                 out.write("betweenness    by paths from " + grouped(found.sources.size()) +
                           (exact ? "" : " (an estimate)") + " of " +
                           counted(run.vertices(), "vertex", "vertices") + " " + run.times("paths") + "\n");
                 for (const graph::vertex_handle v : first)
                   out.write("score          " + std::to_string(found.scores[v]) + "  vertex " +
                             printable_name(run.name_of(graph.id(v))) + "\n");
               });
  });
}

}  // namespace

void add_betweenness_command(command graph_command) {
  auto given = std::make_shared<wanted_scores>();
  command scores = add_analysis_command(
      graph_command, "bc", "Betweenness: on how many of the shortest paths between others each vertex lies",
      "id and betweenness", *given);
  scores.add_number("--samples", given->how.samples,
                    "Follow paths from so many vertices, drawn at random; 0: from all, which is exact");
  scores.add_number("--seed", given->how.seed, "Seed of the random numbers");
  scores.add_flag("--normalized", given->is_normalized, "Divide by the number of pairs of other vertices");
  scores.add_number("--top", given->top, "Show so many vertices with the highest scores");
  scores.callback([given] { score(*given); });
}

}  // namespace perdure::cli
