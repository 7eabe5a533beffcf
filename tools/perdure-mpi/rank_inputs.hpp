// Files of edges that the ranks of a run read together.
#pragma once

#include <cstdint>
#include <perdure/graph/graph_inputs.hpp>
#include <vector>

#include "graph_files.hpp"
#include "interruption.hpp"
#include "job.hpp"

namespace perdure::cli {

/// Adds the files, and the options that say how they are read.
void add_input_options(command target, graph_files& input);

/// The files of a command line, open: all ranks read plain lists of edges, and rank 0 reads the rest.
class rank_inputs {
 public:
  /// Collective. Throws `usage_error` where there are none; on all ranks what opening throws on one, and
  /// `invalid_argument` where ranks see another content of a file that all read, for directed graphs without
  /// `--undirected`, and where some inputs have weights and others have none. `verb` is what the command does
  /// with them.
  rank_inputs(job& run, const graph_files& given, const char* verb);

  std::vector<graph::graph_input>& all() noexcept { return inputs_; }
  bool have_weights() const noexcept { return have_weights_; }
  /// Collective. Returns what was read, for `--json`, and says on the standard error stream what was not
  /// kept. To be called when all has been read.
  json report();

 private:
  job& run_;
  interruption_watch interruption_;
  std::vector<graph::graph_input> inputs_;
  bool have_weights_ = false;
};

}  // namespace perdure::cli
