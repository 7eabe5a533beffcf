#include "stored_set.hpp"

#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/progress.hpp>
#include <perdure/store_set.hpp>

#include "graph_options.hpp"

namespace perdure::cli {

void add_new_set_options(command target, new_set& set) {
  target.add_path("-o,--output", set.path, "The directory of the set of stores, which is made").required();
  set.graph = "graph";
  target.add_text("--graph", set.graph, "The graph's name in the set").default_text("graph");
  target
      .add_choice("--order", set.order,
                  {{"none", graph::rank_order::none},
                   {"hilbert", graph::rank_order::hilbert},
                   {"louvain", graph::rank_order::louvain},
                   {"rcm", graph::rank_order::rcm}},
                  "How vertices are numbered in the set, so that neighbours are near each other: none by id, "
                  "louvain by communities, rcm level by level (reverse Cuthill-McKee), hilbert along a curve "
                  "through the points of 'generate rgg'. Files of results are ordered by id whatever it is")
      .default_text("none");
  add_stage_option(target, set.stage,
                   "Make each part in this directory on a fast device of its rank's machine, and copy the "
                   "finished parts to the set in one go");
}

void add_rank_threads_option(command target, unsigned& threads) {
  target
      .add_number("--threads", 1, 1024, "Number of threads of each rank",
                  [&threads](std::uint64_t n) { threads = static_cast<unsigned>(n); })
      .default_text("1");
}

void require_no_points(graph::rank_order order) {
  if (order == graph::rank_order::hilbert)
    throw usage_error(
        "--order hilbert needs points in a square, which 'generate rgg' has: take --order louvain or --order "
        "rcm");
}

double number_vertices(job& run, const new_set& wanted, graph::rank_graph& made, unsigned threads,
                       const graph::rgg_generator* points) {
  if (wanted.order == graph::rank_order::none) return 0;
  const stopwatch watch;
  begin_progress_stage("numbering vertices");
  made = graph::ordered(made, wanted.order, run.ranks(), threads, points);
  return run.longest("order_seconds", watch.seconds());
}

namespace {

/// Removes what is no set, as far as that is possible.
void remove_parts(const std::filesystem::path& path) {
  try {
    remove_set(path, parts_elsewhere::forget);
  } catch (const error&) {
    // The next attempt to make a set there removes it.
  }
}

}  // namespace

double store_in_new_set(job& run, const new_set& wanted, const graph::rank_graph& made, rank_stage& stage) {
  const stopwatch watch;
  begin_progress_stage("storing the graph");
  const bool is_staged = !wanted.stage.empty();
  const std::filesystem::path path = is_staged ? free_staged_set(run, wanted.path) : wanted.path;
  // What is there already is not this run's to remove.
  const bool is_there = is_staged && std::filesystem::exists(wanted.path);
  mpi::array_store set(create_only, MPI_COMM_WORLD, path,
                       {.parts_directory = stage.path(), .is_made_by_checkpoint = true});
  try {
    graph::store_rank_graph(*set.untyped(), wanted.graph, made, run.ranks(), wanted.order);
    if (is_staged) {
      set.checkpoint();
      set.snapshot(wanted.path);
      set.discard();
    } else {
      set.close();
    }
  } catch (...) {
    // All ranks fail alike, and nothing is a set yet.
    set.discard();
    stage.remove(run);
    if (run.is_first()) {
      remove_parts(path);
      if (is_staged && !is_there && is_set(wanted.path)) remove_parts(wanted.path);
    }
    throw;
  }
  if (is_staged) {
    stage.remove(run);
    graph::joint_call(run.ranks(), [&] {
      if (run.is_first()) remove_set(path, parts_elsewhere::forget);
    });
  }
  return run.longest("store_seconds", watch.seconds());
}

void tell_of_new_graph(job& run, const new_set& set, const graph::rank_graph& made, json parameters,
                       const graph_making& how, bool as_json) {
  std::uint64_t loops = 0;
  for (graph::vertex_handle v = 0; v < made.size(); ++v)
    for (const graph::vertex_handle u : made.neighbours(v)) loops += u == v ? 1U : 0U;
  std::uint64_t sums[] = {made.arcs(), loops};
  run.ranks().add_up(sums);
  const std::uint64_t edges = (sums[0] + sums[1]) / 2;
  const std::uint64_t vertices = made.vertices();
  const json table = table_of_ranks(run, made, {}, rank_traffic(run.ranks()));
  if (!run.is_first()) return;
  if (as_json) {
    json report = std::move(parameters);
    report.update({{"set", set.path.string()},
                   {"graph", set.graph},
                   {"vertices", vertices},
                   {"edges", edges},
                   {"ranks", run.ranks().size()},
                   {"order", std::string(graph::to_string(set.order))},
                   {std::string(how.verb) + "_seconds", how.seconds},
                   {"order_seconds", how.order_seconds},
                   {"store_seconds", how.store_seconds},
                   {"by_rank", table}});
    print(report);
    return;
  }
  output out = output::standard();
  out.write("made           " + counted(vertices, "vertex", "vertices") + ", " +
            counted(edges, "edge", "edges") + " in " + in_seconds(how.seconds) + "\n");
  if (set.order != graph::rank_order::none)
    out.write("numbered       by " + std::string(graph::to_string(set.order)) + ", in " +
              in_seconds(how.order_seconds) + "\n");
  out.write("stored         in " + set.path.string() + ", " + counted(table.size(), "part", "parts") +
            ", in " + in_seconds(how.store_seconds) + "\n");
  out.write(text_of_ranks(table));
  out.finish();
}

namespace {

graph::set_graph graph_in(job& run, const mpi::array_store& set, const std::string& name,
                          const set_opening& how) {
  // Kept here: what `joint_call` returns begins with a default, and a set has no graph by default.
  std::optional<graph::set_graph> found;
  graph::joint_call(run.ranks(), [&] {
    found.emplace(set.untyped(), name);
    if (found->parts() != run.ranks().size() && !how.divides_anew)
      throw error(
          errc::invalid_argument,
          set.path().string() + " has " +
              counted(static_cast<std::uint64_t>(found->parts()), "part", "parts") +
              (run.ranks().size() == 1 ? ", and there is " : ", and there are ") +
              counted(static_cast<std::uint64_t>(run.ranks().size()), "rank", "ranks") +
              (how.to_write ? ": start as many ranks to write to it"
                            : ": start as many ranks, or divide the graph for this run with --repartition"));
  });
  return *std::move(found);
}

mpi::array_store opened(const std::filesystem::path& path, const set_opening& how, const rank_stage& stage) {
  mpi::options options;
  options.store = settings_for(store_options().verify, how.budget);
  options.stage_directory = stage.path();
  return how.to_write && how.stage.empty() ? mpi::array_store(open_only, MPI_COMM_WORLD, path, options)
                                           : mpi::array_store(open_read_only, MPI_COMM_WORLD, path, options);
}

}  // namespace

opened_graph::opened_graph(job& run, const std::filesystem::path& path, const std::string& name,
                           const set_opening& how)
    : stage(run, how.stage),
      set(opened(path, how, stage)),
      stored(graph_in(run, set, name, how)),
      part(graph::joint_call(run.ranks(),
                             [&] { return stored.part(run.ranks().rank(), run.ranks().size()); })),
      seconds(run.longest("attach_seconds", watch.seconds())) {}

mpi::array_store& opened_graph::to_write_to(job& run) {
  if (stage.path().empty()) return set;
  const std::filesystem::path path = set.path();
  const std::uint64_t read_at = set.epoch();
  set.close();
  reopened_.emplace(open_only, MPI_COMM_WORLD, path);
  graph::joint_call(run.ranks(), [&] {
    if (reopened_->epoch() != read_at)
      throw error(errc::conflict, path.string() +
                                      " has had a checkpoint since its parts were staged: what was found is "
                                      "of an earlier one, so start again");
  });
  return *reopened_;
}

void opened_graph::end_writing() {
  (reopened_ ? *reopened_ : set).discard();
}

}  // namespace perdure::cli
