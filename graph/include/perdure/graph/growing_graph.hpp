// A graph in a store that edges are added to: its list, and what belongs to it.
#pragma once

#include <filesystem>
#include <optional>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/merge_duplicates.hpp>

#include "frozen_graph.hpp"
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

  /// Adds edges, to the list, its columns, and what is kept of it as a CSR.
  graph::ingest_result add(graph::edge_source& source, const graph::ingest_options& options) const;
  /// Makes one of several edges, as asked for.
  void merge_duplicates(graph::duplicate_edges how, unsigned threads);
  /// Before each checkpoint: notes which state of the list CSR, patch and delta are. What was added and has
  /// grown to a quarter of the CSR is merged into it, so that adding an edge costs the same on average
  /// however large the graph is.
  void settle(unsigned threads);

  stored_graph* list;
  graph::edge_columns<graph::store_containers> columns;
  stored_names* names = nullptr;
  std::optional<frozen_graph> frozen;  ///< nothing: the list is not frozen, or the CSR is stale
};

}  // namespace perdure::cli
