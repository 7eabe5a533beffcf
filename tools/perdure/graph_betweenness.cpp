// perdure graph bc: on how many shortest paths vertices lie.
#include <memory>
#include <perdure/graph/betweenness.hpp>
#include <string>

#include "command.hpp"
#include "graph_analysis.hpp"
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
    const bool exact = found.sources.size() == graph.size();
    run.report({{"sources", found.sources.size()}, {"exact", exact}, {"normalized", given.is_normalized}},
               {"betweenness", "score",
                graph::highest(graph, given.top, [&](graph::vertex_handle v) { return found.scores[v]; })},
               [&](output& out) {
                 out.write("betweenness    by paths from " + grouped(found.sources.size()) +
                           (exact ? "" : " (an estimate)") + " of " +
                           counted(run.vertices(), "vertex", "vertices") + " " + run.times("paths") + "\n");
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
  scores.example("web.store --samples 100", "Estimate the betweenness of a large graph from 100 vertices");
  scores.callback([given] { score(*given); });
}

}  // namespace perdure::cli
