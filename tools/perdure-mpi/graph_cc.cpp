// perdure-mpi graph cc: connected components.
#include <memory>
#include <perdure/graph/ranks/rank_components.hpp>

#include "job.hpp"
#include "set_analysis.hpp"

namespace perdure::cli {
namespace {

void find_components(job& job_of_ranks, const set_options& given) {
  set_analysis run(job_of_ranks, given);
  const graph::rank_component_result found =
      run.timed([&] { return graph::connected_components(run.part(), run.ranks(), given.threads); });
  run.check(found.labels, [](const graph::csr_view& all, const std::vector<std::uint64_t>& labels) {
    return graph::verify_components(all, std::vector<graph::vertex_handle>(labels.begin(), labels.end()));
  });
  if (given.has_values())
    run.write({.name = "component", .is_vertex = true},
              graph::smallest_ids(run.part(), found.labels, run.ranks()));
  run.report({{"components", found.summary.components}, {"largest", found.summary.largest}},
             [&](output& out) {
               out.write("components     " + grouped(found.summary.components) + " " + run.times() + "\n");
               out.write("largest        " + grouped(found.summary.largest) + " of " +
                         counted(run.vertices(), "vertex", "vertices") + "\n");
             });
}

}  // namespace

void add_components_command(command graph_command, job& run) {
  auto given = std::make_shared<set_options>();
  command components = add_set_command(graph_command, "cc", "Connected components",
                                       "id, and the smallest id of its component", *given);
  add_verify_option(components, *given);
  components.example("web.set", "Count the components");
  components.callback([given, &run] { find_components(run, *given); });
}

}  // namespace perdure::cli
