// perdure-mpi graph generate rmat|rgg: makes a synthetic graph and keeps it in a new set of stores.
#include <memory>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/rank_order.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/graph/rgg.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/mpi.hpp>

#include "graph_options.hpp"
#include "job.hpp"
#include "progress.hpp"
#include "stored_set.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

/// Where the graph goes.
struct wanted_set {
  new_set set;
  unsigned threads = 1;
  bool as_json = false;
};

/// `points`: the generator of points, where the graph has some.
void generate(job& run, const wanted_set& given, json parameters, const graph::rgg_generator* points,
              const std::function<std::unique_ptr<graph::edge_source>(const graph::source_share&)>& make) {
  const stopwatch watch;
  graph::rank_exchange& ranks = run.ranks();
  rank_stage stage(run, given.set.stage);
  const std::unique_ptr<graph::edge_source> source =
      make({static_cast<std::uint64_t>(ranks.rank()), static_cast<std::uint64_t>(ranks.size())});
  graph::rank_graph made = [&] {
    const progress_line progress("generate", [&] { return source->progress(); });
    return graph::build_rank_graph(*source, ranks, {.threads = given.threads});
  }();
  const double generated = run.longest("generate_seconds", watch.seconds());
  const double ordered = number_vertices(run, given.set, made, given.threads, points);
  const double stored = store_in_new_set(run, given.set, made, stage);
  tell_of_new_graph(run, given.set, made, std::move(parameters), {"generate", generated, ordered, stored},
                    given.as_json);
}

void add_set_options(command generator, wanted_set& given) {
  add_new_set_options(generator, given.set);
  add_rank_threads_option(generator, given.threads);
  add_json_option(generator, given.as_json);
}

}  // namespace

void add_generate_command(command graph_command, job& run) {
  command generate_command =
      graph_command.add_command("generate", "Make a synthetic graph, and keep it in a new set of stores");
  generate_command.require_command();
  auto given = std::make_shared<wanted_set>();
  add_json_option(generate_command, given->as_json);

  command rmat = generate_command.add_command(
      "rmat", "R-MAT graph with Graph500's parameters; the same for a seed, whatever the number of ranks");
  auto powers = std::make_shared<graph::rmat_parameters>();
  add_scale_option(rmat, *powers);
  add_rmat_options(rmat, *powers);
  add_set_options(rmat, *given);
  rmat.example("--scale 20 --output web.set", "Make a graph of 2^20 ids");
  rmat.callback([given, powers, &run] {
    require_no_points(given->set.order);
    generate(run, *given,
             {{"scale", powers->scale}, {"edge_factor", powers->edge_factor}, {"seed", powers->seed}},
             nullptr, [&](const graph::source_share& share) {
               return std::make_unique<graph::rmat_source>(*powers, std::uint64_t{1} << 14, share);
             });
  });

  command rgg = generate_command.add_command("rgg",
                                             "Random geometric graph: points in a square, with an edge "
                                             "between any two that are near each other; the "
                                             "same for a seed, whatever the number of ranks");
  auto square = std::make_shared<graph::rgg_parameters>();
  add_rgg_options(rgg, *square);
  add_set_options(rgg, *given);
  rgg.example("--vertices 1000000 --output net.set --order hilbert",
              "Make a geometric graph, numbered along a curve");
  rgg.callback([given, square, &run] {
    const graph::rgg_generator points(*square);
    generate(run, *given,
             {{"degree", square->degree},
              {"radius", points.radius()},
              {"seed", square->seed},
              {"scramble", square->scramble}},
             &points, [&](const graph::source_share& share) {
               return std::make_unique<graph::rgg_source>(*square, std::uint64_t{1} << 10, share);
             });
  });
}

}  // namespace perdure::cli
