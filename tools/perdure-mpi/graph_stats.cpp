// perdure-mpi graph stats: sizes of a graph, and of what each rank has of it.
#include <memory>
#include <perdure/graph/ranks/rank_statistics.hpp>

#include "degree_report.hpp"
#include "job.hpp"
#include "set_analysis.hpp"

namespace perdure::cli {
namespace {

void show(job& job_of_ranks, const set_options& given) {
  set_analysis run(job_of_ranks, given);
  const graph::rank_statistics found = run.timed([&] { return graph::statistics(run.part(), run.ranks()); });
  if (given.has_values()) {
    std::vector<std::uint64_t> degrees;
    for (graph::vertex_handle v = 0; v < run.part().size(); ++v) degrees.push_back(run.part().degree(v));
    run.write({"degree"}, degrees);
  }
  run.report(
      {{"undirected", true},
       {"order", std::string(graph::to_string(run.order()))},
       {"edges", found.edges},
       {"self_loops", found.self_loops},
       {"isolated", found.isolated},
       {"degrees", as_json(found.degrees)}},
      [&](output& out) {
        out.write("graph          " + counted(found.vertices, "vertex", "vertices") + ", " +
                  counted(found.edges, "edge", "edges") + ", undirected " + run.times() + "\n");
        out.write("numbered       by " +
                  (run.order() == graph::rank_order::none ? std::string("id")
                                                          : std::string(graph::to_string(run.order()))) +
                  "\n");
        out.write("self loops     " + grouped(found.self_loops) + "\n");
        out.write("isolated       " + grouped(found.isolated) + "\n");
        out.write("degrees        " + in_words(found.degrees) + as_text(found.degrees));
      });
}

}  // namespace

void add_stats_command(command graph_command, job& run) {
  auto given = std::make_shared<set_options>();
  command stats = add_set_command(graph_command, "stats",
                                  "How many neighbours vertices have, and what each rank has of the graph",
                                  "id and degree", *given);
  stats.example("web.set", "Show what each rank has of the graph");
  stats.callback([given, &run] { show(run, *given); });
}

}  // namespace perdure::cli
