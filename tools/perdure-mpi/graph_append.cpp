// perdure-mpi graph append: reads more edges of a graph from files, and keeps it with them in its set.
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/rank_edges.hpp>
#include <perdure/graph/ranks/rank_order.hpp>
#include <string>
#include <utility>

#include "graph_files.hpp"
#include "job.hpp"
#include "progress.hpp"
#include "rank_inputs.hpp"
#include "stored_set.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct wanted_edges {
  graph_files input;
  std::filesystem::path set;
  std::string graph;
  std::filesystem::path stage;
  unsigned threads = 1;
  bool as_json = false;
};

/// Throws, on all ranks, where the graph has weights and the files have none, or the other way round.
void require_same_weights(const opened_graph& opened, const rank_inputs& files) {
  if (opened.stored.has_weights() == files.have_weights()) return;
  const std::string graph = "the graph \"" + opened.stored.name() + '"';
  throw error(errc::invalid_argument,
              files.have_weights() ? "the files have weights and " + graph +
                                         " has none: leave them out with --weight-column none"
                                   : graph + " has weights and the files have none: give files with weights");
}

/// Collective. Makes the graph of its edges and those of the files.
graph::rank_graph with_more_edges(job& run, const opened_graph& opened, rank_inputs& files,
                                  unsigned threads) {
  graph::graph_input before;
  before.edges = std::make_unique<graph::rank_edges>(opened.part, run.ranks());
  files.all().push_back(std::move(before));
  graph::joined_inputs all(files.all());
  std::optional<progress_line> progress;
  if (run.is_first()) progress.emplace("append", [&all] { return all.progress(); });
  graph::rank_graph made = graph::build_rank_graph(
      all, run.ranks(), {.with_weights = opened.stored.has_weights(), .threads = threads});
  progress.reset();
  files.all().pop_back();
  return made;
}

/// Collective. Returns how long it took.
double replace_in_set(job& run, opened_graph& opened, const graph::rank_graph& made) {
  const stopwatch watch;
  mpi::array_store& set = opened.to_write_to(run);
  try {
    graph::replace_rank_graph(*set.untyped(), opened.stored, made, run.ranks(), opened.stored.order());
    set.close();
  } catch (...) {
    set.discard();
    throw;
  }
  return run.longest("store_seconds", watch.seconds());
}

void append(job& run, const wanted_edges& given) {
  rank_inputs files(run, given.input, "append");
  opened_graph opened(run, given.set, given.graph, {.to_write = true, .stage = given.stage});
  require_same_weights(opened, files);
  const stopwatch watch;
  graph::rank_graph made = with_more_edges(run, opened, files, given.threads);
  const double read = run.longest("append_seconds", watch.seconds());
  const graph::rank_order order = opened.stored.order();
  double ordered = 0;
  if (order != graph::rank_order::none) {
    const stopwatch ordering;
    made = graph::in_order_of(opened.part, made, run.ranks(), given.threads);
    ordered = run.longest("order_seconds", ordering.seconds());
  }
  const double stored = replace_in_set(run, opened, made);
  json facts = files.report();
  facts.update(
      {{"new_vertices", made.vertices() - opened.stored.vertices()}, {"attach_seconds", opened.seconds}});
  tell_of_new_graph(run, {given.set, opened.stored.name(), order, {}}, made, std::move(facts),
                    {"append", read, ordered, stored}, given.as_json);
}

}  // namespace

void add_append_command(command graph_command, job& run) {
  auto given = std::make_shared<wanted_edges>();
  command append_command = graph_command.add_command(
      "append",
      "Add edges from files to the graph in a set of stores, whose numbers of vertices may change. All ranks "
      "read plain lists of edges, and rank 0 reads the rest");
  append_command.add_path("SET", given->set, "The directory of the set of stores").required();
  add_input_options(append_command, given->input);
  append_command.add_text("--graph", given->graph, "The graph's name in the set, where there are several");
  add_stage_option(
      append_command, given->stage,
      "Copy each part to this directory on a fast device of its rank's machine, and read it there; "
      "the set is written where it lies");
  add_rank_threads_option(append_command, given->threads);
  add_json_option(append_command, given->as_json);
  append_command.example("web.set more.txt", "Add the edges of a file");
  append_command.callback([given, &run] { append(run, *given); });
}

}  // namespace perdure::cli
