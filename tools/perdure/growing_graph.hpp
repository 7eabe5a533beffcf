// A graph in a store that edges are added to: its list, and what belongs to it.
#pragma once

#include <filesystem>
#include <optional>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/merge_duplicates.hpp>

#include "stored_graph.hpp"

namespace perdure::cli {

/// What the input has, and what was asked for.
struct growth_wanted {
  std::optional<graph::direction> asked;  ///< by the command line
  std::optional<graph::direction> files_say;
  bool has_weights = false;
  bool has_times = false;
  bool has_names = false;
  unsigned threads = 1;
};

struct growing_graph {
  /// Finds the graph or makes it, with the columns that the input has. Throws `invalid_argument` where graph
  /// and input do not go together.
  growing_graph(manager& store, const std::filesystem::path& path, const growth_wanted& wanted);

  stored_graph* list;
  graph::edge_columns<graph::store_containers> columns;
  stored_names* names = nullptr;
};

}  // namespace perdure::cli
