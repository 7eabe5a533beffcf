// perdure-mpi graph louvain: communities.
#include <memory>
#include <perdure/graph/ranks/rank_communities.hpp>

#include "graph_options.hpp"
#include "job.hpp"
#include "set_analysis.hpp"

namespace perdure::cli {
namespace {

struct wanted_louvain : set_options {
  graph::louvain_options how;
};

void find_communities(job& job_of_ranks, const wanted_louvain& given) {
  set_analysis run(job_of_ranks, given);
  graph::louvain_options how = given.how;
  how.threads = given.threads;
  const graph::rank_community_result found =
      run.timed([&] { return graph::louvain(run.part(), run.ranks(), how); });
  run.check(found.labels, [&](const graph::csr_view& all, const std::vector<std::uint64_t>& labels) {
    return graph::verify_communities(all, {{labels.begin(), labels.end()}, found.summary}, how.resolution);
  });
  graph::louvain_sweep sent;
  for (const graph::louvain_sweep& sweep : found.sweeps) {
    sent.changed_ghosts += sweep.changed_ghosts;
    sent.remote_communities += sweep.remote_communities;
    sent.bytes_sent += sweep.bytes_sent;
  }
  run.add_column({"sweeps", found.sweeps.size()});
  run.add_column({"changed_ghosts", sent.changed_ghosts});
  run.add_column({"remote_communities", sent.remote_communities});
  run.add_column({"bytes_sent_in_sweeps", sent.bytes_sent});
  // Vertices are numbered in the order of their ids.
  if (given.has_values())
    run.write({.name = "community", .is_vertex = true}, graph::ids_of(run.part(), found.labels, run.ranks()));
  const graph::community_summary& summary = found.summary;
  run.report({{"communities", summary.communities},
              {"largest", summary.largest},
              {"modularity", summary.modularity},
              {"iterations", summary.iterations},
              {"levels", summary.levels},
              {"resolution", how.resolution}},
             [&](output& out) {
               out.write("communities    " + grouped(summary.communities) + " " + run.times() + "\n");
               out.write("modularity     " + std::to_string(summary.modularity) + ", after " +
                         counted(summary.iterations, "iteration", "iterations") + "\n");
               out.write("largest        " + grouped(summary.largest) + " of " +
                         counted(run.vertices(), "vertex", "vertices") + "\n");
             });
}

}  // namespace

void add_louvain_command(command graph_command, job& run) {
  auto given = std::make_shared<wanted_louvain>();
  command louvain =
      add_set_command(graph_command, "louvain",
                      "Communities with many edges within and few between them, by Louvain's method",
                      "id, and the smallest id of its community", *given);
  add_louvain_options(louvain, given->how);
  louvain.callback([given, &run] { find_communities(run, *given); });
}

}  // namespace perdure::cli
