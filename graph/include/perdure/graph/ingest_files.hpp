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
  std::uint64_t epoch = 0;
  std::uint64_t edges = 0;  ///< in the graph
  double seconds = 0;
};

struct file_ingest_options {
  std::string graph = default_graph_name;
  std::optional<direction> kind =
      {};  ///< like `growth_options::kind`; a graph that is made takes the inputs'
  duplicate_edges duplicates = duplicate_edges::keep;
  bool with_names = false;  ///< vertices have names
  bool again = false;       ///< adds files once more whose edges the graph has already
  unsigned threads = 1;
  /// Makes a checkpoint each time about so many edges were added.
  std::uint64_t checkpoint_every = std::numeric_limits<std::uint64_t>::max();
  reading_watch watch = {};  ///< called before each input
  std::function<void(const ingest_checkpoint&)> on_checkpoint = {};
};

struct file_ingest_result {
  std::uint64_t edges = 0;  ///< added
  std::uint64_t checkpoints = 0;
  std::uint64_t skipped_lines = 0;
  double seconds = 0;  ///< without checkpoints
  double checkpoint_seconds = 0;
};

/// Adds the edges of all inputs, one input after the other, and records their fingerprints with the graph.
/// If `with_names` is set, the inputs were opened with `names`. The graph is found or made, with weights and
/// times if an input has some; `duplicate_edges::sum` needs weights, which are 1 where there are none.
///
/// Throws `already_exists` where the graph has an input already, in part or as a whole; `bad_input` where
/// there are duplicates, and that is an error; and what reading and adding throw. The graph is in between
/// then: call `discard` of the store to go back to its last checkpoint. The caller makes the last checkpoint.
file_ingest_result ingest_files(manager& store, std::vector<graph_input>& inputs,
                                const file_ingest_options& options, deferred_names* names = nullptr);
/// Opens the files and adds their edges.
file_ingest_result ingest_files(manager& store, const std::vector<std::filesystem::path>& files,
                                const file_ingest_options& options = {},
                                const graph_file_options& reading = {});

}  // namespace perdure::graph
