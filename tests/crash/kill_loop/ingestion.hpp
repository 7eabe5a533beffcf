// `perdure graph ingest`, run to be killed.
#pragma once

#include <chrono>
#include <filesystem>
#include <perdure/graph/rmat.hpp>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace perdure::crash {

/// A checkpoint that the program has announced as durable.
struct acknowledgement {
  std::uint64_t epoch = 0;
  std::uint64_t edges = 0;
};

struct ingestion_plan {
  graph::rmat_parameters edges;
  unsigned threads = 2;
  std::uint64_t checkpoint_every = 0;
};

class ingestion {
 public:
  ingestion(const std::filesystem::path& store, const ingestion_plan& plan);
  /// Another program that takes the same arguments and announces checkpoints in the same way.
  ingestion(std::vector<std::string> command, const std::filesystem::path& store, const ingestion_plan& plan);

  /// Returns early when so many checkpoints have been announced, or the program has nothing more to say.
  void wait_for(std::size_t checkpoints, std::chrono::milliseconds patience) const;
  void kill() { program_.kill(); }
  bool has_ended() const { return program_.has_ended(); }

  struct ending {
    test::outcome how;
    std::vector<acknowledgement> acknowledged;
  };
  ending wait();

 private:
  test::process program_;
};

}  // namespace perdure::crash
