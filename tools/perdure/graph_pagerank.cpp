// perdure graph pagerank: how important vertices are by their arcs.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <perdure/graph/pagerank.hpp>
#include <string>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "graph_options.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct wanted_ranks : analysis_options {
  graph::pagerank_options how;
  std::uint64_t top = 10;
};

void rank(const wanted_ranks& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    graph::pagerank_options how = given.how;
    how.threads = given.threads;
    const graph::pagerank_result found = run.timed([&] { return graph::pagerank(graph, how); });
    run.check([&] { return graph::verify_pagerank(graph, found, how.damping); });
    run.write_vertices(graph, {{"rank", true}},
                       [&](value_line& line, graph::vertex_handle v) { line(found.ranks[v]); });
    double sum = 0;
    for (const double one : found.ranks) sum += one;
    run.report({{"iterations", found.iterations},
                {"change", found.change},
                {"converged", found.change <= how.tolerance},
                {"damping", how.damping},
                {"tolerance", how.tolerance},
                {"sum", sum}},
               {"rank", "rank",
                graph::highest(graph, given.top, [&](graph::vertex_handle v) { return found.ranks[v]; })},
               [&](output& out) {
                 out.write("ranked         " + counted(run.vertices(), "vertex", "vertices") + " in " +
                           counted(found.iterations, "iteration", "iterations") + " " + run.times("ranks") +
                           "\n");
                 if (found.change > how.tolerance)
                   out.write("not converged  ranks still change; give more --iterations\n");
               });
  });
}

}  // namespace

void add_pagerank_command(command graph_command) {
  auto given = std::make_shared<wanted_ranks>();
  command ranks = add_analysis_command(
      graph_command, "pagerank", "PageRank: how likely each vertex is met by who follows arcs at random",
      "id and rank", *given);
  add_pagerank_options(ranks, given->how);
  ranks.add_number("--top", given->top, "Show so many vertices with the highest ranks");
  ranks.example("web.store --top 10", "List the ten vertices with the highest rank");
  ranks.callback([given] { rank(*given); });
}

}  // namespace perdure::cli
