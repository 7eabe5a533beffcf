// Makes a CSR of files in a store, in bounded memory if asked for. An interrupted build continues.
//
//     perdure::manager store(perdure::open_or_create, "web.store");
//     auto inputs = graph::open_graph_inputs({"web.txt.gz"});
//     graph::build_graph(store, inputs, {.graph = "web", .budget = std::uint64_t{1} << 30});
//     store.checkpoint();
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/graph_inputs.hpp>
#include <perdure/graph/graph_objects.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <vector>

namespace perdure::graph {

/// Options of `build_graph`.
struct build_options {
  std::string graph = default_graph_name;  ///< name of the CSR
  /// Direction of the graph; nothing: that of the inputs, directed if they have none.
  std::optional<direction> kind = {};
  bool drop_loops = false;  ///< leaves out loops; their vertices are kept
  /// Keeps one edge of several between the same ends: the one with the smallest weight.
  bool drop_duplicates = false;
  vertex_order order = vertex_order::by_id;  ///< numbering of the vertices
  std::uint64_t budget = 0;  ///< bytes of memory; 0: arcs are sorted in memory, without a limit
  bool anew = false;         ///< drops an interrupted build of this name and starts again
  bool with_names = false;   ///< stores the names of vertices
  /// Keeps the inputs' attributes of vertices and edges (`keep_attributes.hpp`). They are in ordinary memory
  /// until the end.
  bool with_attributes = false;
  unsigned threads = 1;                      ///< number of threads
  std::function<void()> on_checkpoint = {};  ///< called after each checkpoint; its exceptions end the build
  reading_watch watch = {};                  ///< called once, with the graph's name
};

/// Result of `build_graph`.
struct build_result {
  const stored_csr* graph = nullptr;  ///< the CSR in the store
  bool resumed = false;               ///< an interrupted build was continued
  /// The store already has this graph, built of the same inputs with the same options. Nothing has changed.
  bool was_built = false;
  std::uint64_t checkpoints = 0;                  ///< checkpoints that this call made
  std::uint64_t skipped_lines = 0;                ///< malformed lines that were left out
  std::vector<std::string> attributes = {};       ///< names of the vertex attributes that were kept
  std::vector<std::string> edge_attributes = {};  ///< names of the edge attributes that were kept
  bool lacks_times = false;                       ///< an input has times, which were not kept
};

/// Makes the CSR `options.graph` of all edges of the inputs. A directed graph has incoming arcs too. Arcs
/// have weights if an input has some.
///
/// With a budget, half of it is for arcs that are being sorted; open the store `paged` with the other half. A
/// checkpoint is made after each step (`external_build.hpp`). The order `by_degree` takes twice the disk
/// space (`degree_ordering.hpp`). After a crash, the same call in a process that opens the store again
/// continues behind the last checkpoint. The caller makes the last checkpoint.
///
/// With `with_names`, open the inputs with `names`; the names are stored like those of a growing graph
/// (`graph_objects.hpp`). With `with_attributes`, open the inputs with `keep_attributes`. The times of
/// GraphML and GML are then kept too, as the edges' property `time`.
///
/// Throws
/// - `already_exists` where something else in the store has the name, or a graph of other inputs;
/// - `invalid_argument` where a build of this name was interrupted that had other inputs or options, or
///   inputs that cannot be read twice, unless `anew` is set;
/// - `read_only` for a store that is open for reading;
/// - what reading and building throw.
///
/// After an exception call `discard` of the store.
build_result build_graph(manager& store, std::vector<graph_input>& inputs, const build_options& options = {},
                         deferred_names* names = nullptr);

}  // namespace perdure::graph
