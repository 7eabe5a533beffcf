// Kills a program that ingests a graph, again and again, and holds its store to every checkpoint announced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "crash/kill_loop/ingested_store.hpp"
#include "crash/kill_loop/ingestion.hpp"
#include "support/random_stream.hpp"

namespace perdure::crash {

struct kill_counts {
  std::uint64_t kills = 0;        ///< that struck a running program
  std::uint64_t completed = 0;    ///< ingestions that were faster
  std::uint64_t checkpoints = 0;  ///< announced
  std::uint64_t pending = 0;      ///< stores found with a checkpoint that was not yet home
  std::uint64_t in_recovery = 0;  ///< kills of the next program before that one was home
  std::uint64_t in_creation = 0;  ///< kills before the store existed, or had a graph
};

class kill_loop {
 public:
  kill_loop(std::filesystem::path directory, std::uint64_t seed, unsigned scale, unsigned threads);

  /// Starts the program, kills it, examines the store. Throws std::runtime_error saying what is wrong.
  void step();
  const kill_counts& counts() const { return counts_; }

 private:
  void kill_somewhere(ingestion& program);
  void examine(const ingestion::ending& ending, const ingestion_plan& plan);
  void start_over();

  std::filesystem::path store_;
  random_stream random_;
  ingestion_plan plan_;
  std::chrono::milliseconds whole_run_{2000};  // until it is known better
  knowledge known_;                            // what the store must hold at least
  bool is_pending_ = false;  // a checkpoint was not yet home when the store was last looked at
  kill_counts counts_;
};

}  // namespace perdure::crash
