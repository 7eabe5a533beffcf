// perdure-mpi graph ingest: reads a graph from files, and keeps it in a new set of stores.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/graph_inputs.hpp>
#include <perdure/graph/ranks/joint_call.hpp>

#include "graph_files.hpp"
#include "graph_options.hpp"
#include "job.hpp"
#include "progress.hpp"
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

/// Throws where some inputs have weights, and others have none.
bool have_weights(const std::vector<graph::graph_input>& inputs) {
  const auto has_some = [](const graph::graph_input& one) { return one.info.has_weights; };
  const auto with = std::find_if(inputs.begin(), inputs.end(), has_some);
  const auto without = std::find_if_not(inputs.begin(), inputs.end(), has_some);
  if (with != inputs.end() && without != inputs.end())
    throw error(errc::invalid_argument, with->name + " has weights and " + without->name +
                                            " has none: leave them out with --weight-column none");
  return with != inputs.end();
}

/// Rank 0 reads what cannot be divided.
void ingest(job& run, const wanted_files& given) {
  const stopwatch watch;
  graph::rank_exchange& ranks = run.ranks();
  const interruption_watch interruption;
  std::vector<graph::graph_input> inputs;
  given.input.require_some("ingest");
  rank_stage stage(run, given.set.stage);
  graph::joint_call(ranks, [&] {
    inputs = given.input.open(
        interruption, nullptr,
        {static_cast<std::uint64_t>(ranks.rank()), static_cast<std::uint64_t>(ranks.size())});
    for (const graph::graph_input& one : inputs)
      if (one.info.kind == graph::direction::directed && !given.input.undirected)
        throw error(errc::invalid_argument,
                    one.name +
                        " is directed, and graphs of ranks are undirected: take each edge in both "
                        "directions with --undirected");
  });
  // Rank 0 knows of all inputs.
  std::array<std::uint64_t, 1> weighted{};
  graph::joint_call(ranks, [&] {
    if (run.is_first()) weighted[0] = have_weights(inputs) ? 1 : 0;
  });
  ranks.add_up(weighted);
  graph::joined_inputs all(inputs);
  const graph::rank_graph made = [&] {
    std::optional<progress_line> progress;
    if (run.is_first()) progress.emplace("ingest", [&all] { return all.progress(); });
    return graph::build_rank_graph(all, ranks, {.with_weights = weighted[0] != 0, .threads = given.threads});
  }();
  std::array<std::uint64_t, 1> skipped{all.skipped_lines()};
  ranks.add_up(skipped);
  const double read = run.longest("ingest_seconds", watch.seconds());
  const double stored = store_in_new_set(run, given.set, made, stage);
  json facts = json::object();
  if (run.is_first()) {
    facts = {{"files", what_was_read(inputs)}, {"skipped_lines", skipped[0]}};
    tell_ignored_columns(inputs);
    for (const graph::graph_input& one : inputs)
      if (one.info.has_times)
        std::fprintf(stderr, "perdure-mpi: %s: not kept: times of edges\n", one.name.c_str());
  }
  tell_of_new_graph(run, given.set, made, facts, {"ingest", read, stored}, given.as_json);
}

}  // namespace

void add_ingest_command(command graph_command, job& run) {
  auto given = std::make_shared<wanted_files>();
  command ingest_command =
      graph_command.add_command("ingest",
                                "Read an undirected graph from files, and keep it in a new set of stores. "
                                "All ranks read plain lists of edges, and rank 0 reads the rest");
  ingest_command.add_paths("FILE", given->input.files,
                           "Files of edges, in any format; '-' is standard input");
  add_new_set_options(ingest_command, given->set);
  add_file_options(ingest_command, given->input.reading);
  add_generated_options(ingest_command, given->input);
  ingest_command.add_flag("--undirected", given->input.undirected,
                          "Take edges of a directed graph in both directions");
  add_rank_threads_option(ingest_command, given->threads);
  add_json_option(ingest_command, given->as_json);
  ingest_command.callback([given, &run] { ingest(run, *given); });
}

}  // namespace perdure::cli
