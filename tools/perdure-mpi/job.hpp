// The ranks of a run of perdure-mpi.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <perdure/graph/ranks/mpi_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"

namespace perdure::cli {

/// This rank, and the others that it works with once it has joined them.
class job {
 public:
  /// Collective. To be called before anything else, while MPI runs.
  void join() { ranks_.emplace(MPI_COMM_WORLD); }

  graph::rank_exchange& ranks() noexcept { return *ranks_; }
  /// Returns whether this is the rank that reads files in one piece, and prints.
  bool is_first() const noexcept { return ranks_->rank() == 0; }

  /// Collective. Returns the longest of the ranks' times, and keeps this rank's for its row of the table.
  double longest(const char* key, double seconds);
  /// The times of this rank by the keys that they have in the table, in the order in which they were taken.
  const std::vector<std::pair<const char*, double>>& times() const noexcept { return times_; }

 private:
  std::optional<graph::mpi_exchange> ranks_;
  std::vector<std::pair<const char*, double>> times_;
};

/// One number of each rank.
struct rank_column {
  const char* key;
  std::uint64_t own;
};

/// Bytes and messages that a rank has sent so far.
struct rank_traffic {
  explicit rank_traffic(const graph::rank_exchange& ranks)
      : bytes(ranks.bytes_sent()), messages(ranks.messages_sent()) {}
  std::uint64_t bytes;
  std::uint64_t messages;
};

/// Collective. Returns a JSON object for each rank: what it has of the graph, these numbers, its times, what
/// it has sent, and the most memory that it had.
json table_of_ranks(job& run, const graph::rank_graph& part, const std::vector<rank_column>& columns,
                    const rank_traffic& sent);

/// Returns the table for people, with a line for each rank.
std::string text_of_ranks(const json& table);

// The subcommands of `perdure-mpi graph`.
void add_generate_command(command graph, job& run);
void add_ingest_command(command graph, job& run);
void add_append_command(command graph, job& run);
void add_louvain_command(command graph, job& run);
void add_bfs_command(command graph, job& run);
void add_components_command(command graph, job& run);
void add_pagerank_command(command graph, job& run);
void add_triangles_command(command graph, job& run);
void add_stats_command(command graph, job& run);
void add_export_command(command graph, job& run);
void add_repartition_command(command graph, job& run);

}  // namespace perdure::cli
