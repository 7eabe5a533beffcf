// perdure-mpi graph tc: triangles.
#include <memory>
#include <perdure/graph/ranks/rank_triangles.hpp>
#include <perdure/graph/triangles.hpp>

#include "job.hpp"
#include "set_analysis.hpp"

namespace perdure::cli {
namespace {

void count(job& job_of_ranks, const set_options& given) {
  set_analysis run(job_of_ranks, given);
  const std::uint64_t triangles =
      run.timed([&] { return graph::count_triangles(run.part(), run.ranks(), given.threads); });
  run.check(std::vector<std::uint64_t>(),
            [&](const graph::csr_view& all, const auto&) { return graph::verify_triangles(all, triangles); });
  run.report({{"triangles", triangles}}, [&](output& out) {
    out.write("triangles      " + grouped(triangles) + " " + run.times() + "\n");
  });
}

}  // namespace

void add_triangles_command(command graph_command, job& run) {
  auto given = std::make_shared<set_options>();
  command triangles = add_set_command(graph_command, "tc",
                                      "Count triangles: three vertices joined with each other", {}, *given);
  add_verify_option(triangles, *given);
  triangles.example("web.set", "Count the triangles");
  triangles.callback([given, &run] { count(run, *given); });
}

}  // namespace perdure::cli
