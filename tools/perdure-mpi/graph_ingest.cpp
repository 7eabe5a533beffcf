// perdure-mpi graph ingest: reads a graph from files, and keeps it in a new set of stores.
#include <memory>
#include <optional>

#include "graph_files.hpp"
#include "job.hpp"
#include "progress.hpp"
#include "rank_inputs.hpp"
#include "rank_stage.hpp"
#include "stored_set.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct wanted_files {
  graph_files input;
  new_set set;
  unsigned threads = 1;
  bool as_json = false;
};

void ingest(job& run, const wanted_files& given) {
  const stopwatch watch;
  require_no_points(given.set.order);
  rank_inputs files(run, given.input, "ingest");
  rank_stage stage(run, given.set.stage);
  graph::joined_inputs all(files.all());
  graph::rank_graph made = [&] {
    std::optional<progress_line> progress;
    if (run.is_first()) progress.emplace("ingest", [&all] { return all.progress(); });
    return graph::build_rank_graph(all, run.ranks(),
                                   {.with_weights = files.have_weights(), .threads = given.threads});
  }();
  const double read = run.longest("ingest_seconds", watch.seconds());
  const double ordered = number_vertices(run, given.set, made, given.threads);
  const double stored = store_in_new_set(run, given.set, made, stage);
  tell_of_new_graph(run, given.set, made, files.report(), {"ingest", read, ordered, stored}, given.as_json);
}

}  // namespace

void add_ingest_command(command graph_command, job& run) {
  auto given = std::make_shared<wanted_files>();
  command ingest_command =
      graph_command.add_command("ingest",
                                "Read an undirected graph from files, and keep it in a new set of stores. "
                                "All ranks read plain lists of edges, and rank 0 reads the rest");
  add_new_set_options(ingest_command, given->set);
  add_input_options(ingest_command, given->input);
  add_rank_threads_option(ingest_command, given->threads);
  add_json_option(ingest_command, given->as_json);
  ingest_command.example("edges.txt.gz --output web.set", "Keep the graph of an edge list");
  ingest_command.callback([given, &run] { ingest(run, *given); });
}

}  // namespace perdure::cli
