// Sets of stores with graphs: made anew, and opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/rank_order.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/mpi.hpp>
#include <string>

#include "job.hpp"
#include "rank_stage.hpp"
#include "units.hpp"

namespace perdure::cli {

/// A set that is to be made.
struct new_set {
  std::filesystem::path path;
  std::string graph;  ///< the graph's name in it
  graph::rank_order order = graph::rank_order::none;
  std::filesystem::path stage;
};
/// `-o`, `--graph`, `--order` and `--stage`.
void add_new_set_options(command target, new_set& set);
/// `--threads`, of each rank.
void add_rank_threads_option(command target, unsigned& threads);
/// Throws where the order needs points, which only `generate rgg` has.
void require_no_points(graph::rank_order order);

/// Collective. Numbers the vertices of a graph in the order that the set is to have. `points` is the
/// generator of the graph, where it has points. Returns how long that took.
double number_vertices(job& run, const new_set& wanted, graph::rank_graph& made, unsigned threads,
                       const graph::rgg_generator* points = nullptr);

/// Collective. Stores a graph in a set that is made for it; with a stage, through one whose parts are there.
/// Returns how long that took.
double store_in_new_set(job& run, const new_set& wanted, const graph::rank_graph& made, rank_stage& stage);

/// How a graph came to be, and how long that took.
struct graph_making {
  const char* verb;  ///< "generate", "ingest"
  double seconds;
  double order_seconds;
  double store_seconds;
};
/// Collective. Says what was made.
void tell_of_new_graph(job& run, const new_set& set, const graph::rank_graph& made, json parameters,
                       const graph_making& how, bool as_json);

/// How a set is opened.
struct set_opening {
  bool divides_anew = false;  ///< where the set has another number of parts; for this run only
  bool to_write = false;
  std::uint64_t budget = 0;          ///< bytes of each rank's part in memory at most; 0: as many as there are
  std::filesystem::path stage = {};  ///< where parts are copied to, to be read there; empty: nowhere
};

/// A graph of a set that is open, and this rank's part of it.
struct opened_graph {
  /// Collective.
  opened_graph(job& run, const std::filesystem::path& path, const std::string& name, const set_opening& how);

  /// Collective. Returns the set, open for writing. A set that was read from copies of its parts is opened
  /// where it lies; throws `conflict` if it has had a checkpoint since. Only sizes of `part` are used
  /// afterwards.
  mpi::array_store& to_write_to(job& run);
  /// Collective. Closes the set that was open for writing. What was stored has its checkpoint.
  void end_writing();

  stopwatch watch;  // before the set: opening counts
  rank_stage stage;
  mpi::array_store set;
  graph::set_graph stored;
  graph::rank_graph part;
  double seconds;  ///< to open the set and have the part

 private:
  std::optional<mpi::array_store> reopened_;
};

}  // namespace perdure::cli
