// Sets of stores with graphs: made anew, and opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/mpi.hpp>
#include <string>

#include "job.hpp"
#include "units.hpp"

namespace perdure::cli {

/// `-o`, the set, and `--graph`, the graph's name in it.
void add_new_set_options(command target, std::filesystem::path& set, std::string& graph);
/// `--threads`, of each rank.
void add_rank_threads_option(command target, unsigned& threads);

/// Collective. Stores a graph in a set that is made for it. Returns how long that took.
double store_in_new_set(job& run, const std::filesystem::path& path, const std::string& name,
                        const graph::rank_graph& made);

/// How a graph came to be, and how long that took.
struct graph_making {
  const char* verb;  ///< "generate", "ingest"
  double seconds;
  double store_seconds;
};
/// Collective. Says what was made.
void tell_of_new_graph(job& run, const std::filesystem::path& path, const std::string& name,
                       const graph::rank_graph& made, json parameters, const graph_making& how, bool as_json);

/// How a set is opened.
struct set_opening {
  bool divides_anew = false;  ///< where the set has another number of parts; for this run only
  bool to_write = false;
  std::uint64_t budget = 0;  ///< bytes of each rank's part in memory at most; 0: as many as there are
};

/// A graph of a set that is open, and this rank's part of it.
struct opened_graph {
  /// Collective.
  opened_graph(job& run, const std::filesystem::path& path, const std::string& name, const set_opening& how);

  stopwatch watch;  // before the set: opening counts
  mpi::array_store set;
  graph::set_graph stored;
  graph::rank_graph part;
  double seconds;  ///< to open the set and have the part
};

}  // namespace perdure::cli
