// perdure-mpi graph pagerank: ranks of vertices.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>
#include <perdure/graph/degrees.hpp>
#include <perdure/graph/ranks/rank_pagerank.hpp>
#include <utility>

#include "graph_options.hpp"
#include "job.hpp"
#include "set_analysis.hpp"

namespace perdure::cli {
namespace {

struct wanted_ranks : set_options {
  graph::pagerank_options how;
  std::uint64_t top = 10;
};

/// Collective. Returns the vertices with the highest ranks, on rank 0.
std::vector<graph::ranked_vertex> highest(const std::vector<graph::vertex_id>& ids,
                                          const std::vector<double>& values, std::uint64_t count,
                                          graph::rank_exchange& ranks) {
  const auto is_before = [](const graph::ranked_vertex& a, const graph::ranked_vertex& b) {
    return a.value != b.value ? a.value > b.value : a.id < b.id;
  };
  const auto keep_first = [&](std::vector<graph::ranked_vertex>& some) {
    const auto end = some.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, some.size()));
    std::partial_sort(some.begin(), end, some.end(), is_before);
    some.erase(end, some.end());
  };
  std::vector<graph::ranked_vertex> own;
  for (std::size_t v = 0; v < ids.size(); ++v) own.push_back({ids[v], values[v]});
  keep_first(own);
  vertex_lines lines;
  for (const graph::ranked_vertex& one : own) lines.add(one.id, std::bit_cast<std::uint64_t>(one.value));
  std::vector<graph::ranked_vertex> all;
  graph::gather_values(ranks, lines.ids, lines.values, 1,
                       [&all](std::span<const graph::vertex_id> some, std::span<const std::uint64_t> bits) {
                         for (std::size_t i = 0; i < some.size(); ++i)
                           all.push_back({some[i], std::bit_cast<double>(bits[i])});
                       });
  keep_first(all);
  return all;
}

void rank(job& job_of_ranks, const wanted_ranks& given) {
  set_analysis run(job_of_ranks, given);
  graph::pagerank_options how = given.how;
  how.threads = given.threads;
  const graph::pagerank_result found =
      run.timed([&] { return graph::pagerank(run.part(), run.ranks(), how); });
  run.check(found.ranks, [&](const graph::csr_view& all, std::vector<double> ranks) {
    graph::pagerank_result whole = found;
    whole.ranks = std::move(ranks);
    return graph::verify_pagerank(all, whole, how.damping);
  });
  const std::vector<graph::vertex_id> ids = run.own_ids();
  if (given.has_values()) {
    vertex_lines lines{ids, {}};
    for (const double value : found.ranks) lines.values.push_back(std::bit_cast<std::uint64_t>(value));
    run.write({{.name = "rank", .is_real = true}}, std::move(lines));
  }
  json top = json::array();
  std::string lines;
  for (const graph::ranked_vertex& one : highest(ids, found.ranks, given.top, run.ranks())) {
    top.push_back({{"id", one.id}, {"rank", one.value}});
    lines += "rank           " + std::to_string(one.value) + "  vertex " + std::to_string(one.id) + "\n";
  }
  double sum = 0;
  for (const std::uint64_t bits : run.ranks().gather(
           std::bit_cast<std::uint64_t>(std::accumulate(found.ranks.begin(), found.ranks.end(), 0.0))))
    sum += std::bit_cast<double>(bits);
  const bool has_converged = found.change <= how.tolerance;
  run.report({{"iterations", found.iterations},
              {"change", found.change},
              {"converged", has_converged},
              {"damping", how.damping},
              {"tolerance", how.tolerance},
              {"sum", sum},
              {"top", top}},
             [&](output& out) {
               out.write("ranked         " + counted(run.vertices(), "vertex", "vertices") + " in " +
                         counted(found.iterations, "iteration", "iterations") + " " + run.times() + "\n");
               if (!has_converged) out.write("not converged  ranks still change; give more --iterations\n");
               out.write(lines);
             });
}

}  // namespace

void add_pagerank_command(command graph_command, job& run) {
  auto given = std::make_shared<wanted_ranks>();
  command ranks = add_set_command(graph_command, "pagerank",
                                  "PageRank: how likely each vertex is met by who follows arcs at random",
                                  "id and rank", *given);
  add_pagerank_options(ranks, given->how);
  ranks.add_number("--top", given->top, "Show so many vertices with the highest ranks");
  add_verify_option(ranks, *given);
  ranks.example("web.set --output ranks.csv", "Write the rank of each vertex");
  ranks.callback([given, &run] { rank(run, *given); });
}

}  // namespace perdure::cli
