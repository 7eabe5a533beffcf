// The ranks of a run of perdure-mpi.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <perdure/graph/ranks/mpi_exchange.hpp>
#include <string>
#include <vector>

#include "command.hpp"

namespace perdure::cli {

/// What this rank and all others do together.
class job {
 public:
  job() : ranks_(MPI_COMM_WORLD) {}

  graph::rank_exchange& ranks() noexcept { return ranks_; }
  /// Whether this is the rank that reads files in one piece, and prints.
  bool is_first() const noexcept { return ranks_.rank() == 0; }

  /// Collective. Returns the longest of the ranks' times.
  double longest(double seconds);

 private:
  graph::mpi_exchange ranks_;
};

/// One number of each rank.
struct rank_column {
  const char* key;
  std::uint64_t own;
};

/// Collective. A JSON object for each rank with these numbers, its bytes and messages sent, and the most
/// memory that it had.
json table_of_ranks(job& run, const std::vector<rank_column>& columns);

/// The table for people.
std::string text_of_ranks(const json& table);

// The subcommands of `perdure-mpi graph`.
void add_generate_command(command graph, job& run);
void add_louvain_command(command graph, job& run);

}  // namespace perdure::cli
