// Adds the edges of files to a graph in a store, each file once.
//
//     perdure::manager store(perdure::open_or_create, "web.store");
//     graph::ingest_files(store, {"a.mtx", "b.csv.gz"}, {.threads = 8});
//     store.checkpoint();
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <perdure/graph/graph_inputs.hpp>
#include <perdure/graph/growing_graph.hpp>
#include <perdure/graph/ingested_files.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <vector>

namespace perdure::graph {

/// A checkpoint that was made while edges were added.
struct ingest_checkpoint {
  std::uint64_t epoch = 0;  ///< epoch of the checkpoint
  std::uint64_t edges = 0;  ///< edges in the graph
  double seconds = 0;       ///< time that the checkpoint took
};

/// Options of `ingest_files`.
struct file_ingest_options {
  std::string graph = default_graph_name;  ///< name of the graph
  /// Direction of the graph, like `growth_options::kind`. A new graph takes the direction of the inputs.
  std::optional<direction> kind = {};
  duplicate_edges duplicates = duplicate_edges::keep;  ///< treatment of parallel edges
  bool with_names = false;                             ///< vertices have names
  bool again = false;                                  ///< adds files again whose edges the graph already has
  unsigned threads = 1;                                ///< threads that add edges
  /// Number of edges, about, after which a checkpoint is made.
  std::uint64_t checkpoint_every = std::numeric_limits<std::uint64_t>::max();
  reading_watch watch = {};                                          ///< called before each input is read
  std::function<void(const ingest_checkpoint&)> on_checkpoint = {};  ///< called after each checkpoint
};

/// Result of `ingest_files`.
struct file_ingest_result {
  std::uint64_t edges = 0;          ///< edges that were added
  std::uint64_t checkpoints = 0;    ///< checkpoints that were made
  std::uint64_t skipped_lines = 0;  ///< malformed lines that were left out
  double seconds = 0;               ///< time to add the edges, without checkpoints
  double checkpoint_seconds = 0;    ///< time of the checkpoints
};

/// Adds the edges of all inputs, one input after the other, and records their fingerprints with the graph.
/// The graph is found or made, with weights and times if an input has some. With `with_names`, open the
/// inputs with `names`. `duplicate_edges::sum` makes the column of weights if there is none, and edges
/// without a weight count 1.
///
/// Throws
/// - `already_exists` if the graph has edges of an input already, in part or as a whole;
/// - `bad_input` for duplicates with `duplicate_edges::error`;
/// - what reading and adding throw.
///
/// The graph may have some of the edges after an exception: call `discard` of the store to go back to its
/// last checkpoint. The caller makes the last checkpoint.
file_ingest_result ingest_files(manager& store, std::vector<graph_input>& inputs,
                                const file_ingest_options& options, deferred_names* names = nullptr);
/// Opens the files and adds their edges. Also throws what `open_graph_inputs` throws.
file_ingest_result ingest_files(manager& store, const std::vector<std::filesystem::path>& files,
                                const file_ingest_options& options = {},
                                const graph_file_options& reading = {});

}  // namespace perdure::graph
