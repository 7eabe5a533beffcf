// perdure-mpi graph louvain: communities.
#include <memory>
#include <optional>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <perdure/graph/ranks/stored_communities.hpp>
#include <string>
#include <utility>

#include "community_report.hpp"
#include "graph_options.hpp"
#include "job.hpp"
#include "set_analysis.hpp"

namespace perdure::cli {
namespace {

struct wanted_louvain : set_options {
  graph::louvain_options how;
  std::string from;
};

/// Collective. Returns the communities that the set has as an array, for own vertices.
graph::matched_labels communities_in(set_analysis& run, const std::string& name) {
  const graph::labels_by_id kept = graph::joint_call(run.ranks(), [&] {
    return graph::stored_communities(run.arrays(), name, run.ranks().rank(), run.ranks().size());
  });
  return graph::match_labels(run.own_ids(), kept, run.ranks());
}

void find_communities(job& job_of_ranks, const wanted_louvain& given) {
  graph::louvain_options how = given.how;
  how.threads = given.threads;
  how.reads_rows_once = given.budget != 0;
  how.keep_levels = !given.store_as.empty();
  require_one_beginning(how, given.from);
  set_analysis run(job_of_ranks, given);
  std::optional<given_communities> from;
  if (!given.from.empty()) from = {given.from, communities_in(run, given.from)};
  graph::rank_community_result found = run.timed([&] {
    return from ? graph::louvain_from(run.part(), from->found.labels, run.ranks(), how)
                : graph::louvain(run.part(), run.ranks(), how);
  });
  run.check(found.labels, [&](const graph::csr_view& all, const std::vector<std::uint64_t>& labels) {
    return graph::verify_communities(all, {{labels.begin(), labels.end()}, found.summary, {}},
                                     how.resolution);
  });
  json findings = findings_of(found.summary);
  add_louvain_findings(findings, found.summary, how.resolution, found.levels, from, run.vertices());
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
  for (graph::community_level<graph::vertex_id>& level : found.levels)
    level.labels = graph::smallest_ids(run.part(), level.labels, run.ranks());
  run.keep_levels(std::move(found.levels));
  if (given.has_values())
    run.write({.name = "community", .is_vertex = true},
              graph::smallest_ids(run.part(), found.labels, run.ranks()));
  run.report(findings,
             [&](output& out) { write_communities(out, found.summary, run.times(), run.vertices(), from); });
}

}  // namespace

void add_louvain_command(command graph_command, job& run) {
  auto given = std::make_shared<wanted_louvain>();
  command louvain =
      add_set_command(graph_command, "louvain",
                      "Communities with many edges within and few between them, by Louvain's method",
                      "id, and the smallest id of its community", *given);
  add_louvain_options(louvain, given->how, given->from);
  add_verify_option(louvain, *given);
  louvain.example("web.set --store-as communities", "Keep the community of each vertex in the set");
  louvain.callback([given, &run] { find_communities(run, *given); });
}

}  // namespace perdure::cli
