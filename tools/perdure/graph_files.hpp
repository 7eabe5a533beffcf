// Files of graphs on a command line: their options, how they are opened, and what is printed of them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/graph/graph_inputs.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "interruption.hpp"

namespace perdure::cli {

/// Inputs, and how they are read.
struct graph_files {
  std::vector<std::filesystem::path> files;
  graph::graph_file_options reading;
  std::optional<unsigned> rmat_scale;
  graph::rmat_parameters rmat;
  bool directed = false;
  bool undirected = false;

  /// Returns the direction that was asked for. Throws `usage_error` where both were.
  std::optional<graph::direction> kind() const;
  /// Throws `usage_error` where there is nothing to read.
  void require_some(const std::string& verb) const;
  /// Opens the files, whose names are numbered by `names` unless that is null, and the R-MAT graph. Reading
  /// ends with an exception once a signal has come.
  std::vector<graph::graph_input> open(const interruption_watch& interruption, graph::vertex_namer* names,
                                       const graph::source_share& share = {}) const;
};

/// Adds `--undirected` and `--directed`.
void add_direction_options(command target, graph_files& files);
/// Adds `--rmat-scale`, `--edge-factor` and `--seed`.
void add_generated_options(command target, graph_files& files);

/// Shows a line with the progress of what is read, under `verb` and its name.
graph::reading_watch progress_of(const std::string& verb);
/// Throws once a signal has come. Code that catches the exception asks for the signal.
void stop_if_interrupted();

/// Returns for `--json` what each input was taken for.
json what_was_read(const std::vector<graph::graph_input>& inputs);
/// Returns the most columns that an input has behind those that are kept. Says on the standard error stream
/// which inputs have some, as the program of this name.
unsigned tell_ignored_columns(const std::vector<graph::graph_input>& inputs, const char* program = "perdure");

}  // namespace perdure::cli
