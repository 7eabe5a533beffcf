// perdure-mpi graph bfs: breadth-first search.
#include <charconv>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/rank_bfs.hpp>
#include <utility>

#include "job.hpp"
#include "set_analysis.hpp"

namespace perdure::cli {
namespace {

struct bfs_options : set_options {
  std::uint64_t source = 0;
};

void search(job& job_of_ranks, const bfs_options& given) {
  set_analysis run(job_of_ranks, given);
  const auto source = graph::number_of(run.part(), given.source, run.ranks());
  if (!source) throw error(errc::not_found, "the graph has no vertex " + std::to_string(given.source));
  const graph::rank_bfs_result found =
      run.timed([&] { return graph::bfs(run.part(), run.ranks(), *source, given.threads); });
  run.check(found.levels, [&](const graph::csr_view& all, const std::vector<std::uint32_t>& levels) {
    return graph::verify_bfs(all, static_cast<graph::vertex_handle>(*source), levels);
  });
  if (given.has_values()) {
    const std::vector<graph::vertex_id> ids = run.own_ids();
    vertex_lines lines;
    for (std::size_t v = 0; v < ids.size(); ++v)
      if (found.levels[v] != graph::unreached) lines.add(ids[v], found.levels[v], found.parents[v]);
    run.write({{"level"}, {.name = "parent", .is_vertex = true}}, std::move(lines));
  }
  const std::uint64_t edges = found.summary.arcs / 2;  // as Graph500 counts
  const double teps = run.seconds() > 0 ? static_cast<double>(edges) / run.seconds() : 0;
  run.report({{"source", given.source},
              {"reached", found.summary.reached},
              {"reached_arcs", found.summary.arcs},
              {"teps", teps},
              {"levels", found.summary.histogram},
              {"undirected", true}},
             [&](output& out) {
               out.write("reached        " + grouped(found.summary.reached) + " of " +
                         counted(run.vertices(), "vertex", "vertices") + " from vertex " +
                         std::to_string(given.source) + ", within " +
                         counted(found.summary.histogram.size() - 1, "edge", "edges") + ", " + run.times() +
                         "\n");
               out.write("speed          " + per_second(teps) + " edges a second\n");
             });
}

}  // namespace

void add_bfs_command(command graph_command, job& run) {
  auto given = std::make_shared<bfs_options>();
  command bfs = add_set_command(
      graph_command, "bfs", "Breadth-first search from a vertex",
      "id, level, and the id of the vertex before it on a shortest path, of each vertex reached", *given);
  bfs.add_number("--source", given->source, "The vertex, as the input calls it").required();
  add_verify_option(bfs, *given);
  bfs.example("web.set --source 42 --output levels.csv", "Write the distance of each vertex from vertex 42");
  bfs.callback([given, &run] { search(run, *given); });
}

}  // namespace perdure::cli
