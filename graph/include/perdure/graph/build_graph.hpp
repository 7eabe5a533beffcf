// Makes a CSR of files in a store, in bounded memory if asked for; a build that was killed goes on.
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

struct build_options {
  std::string graph = default_graph_name;
  std::optional<direction> kind = {};  ///< nothing: as the inputs are, else directed
  bool drop_loops = false;
  bool drop_duplicates = false;  ///< keeps of several edges the one with the smallest weight
  vertex_order order = vertex_order::by_id;
  std::uint64_t budget = 0;      ///< bytes of memory; 0: the arcs are sorted in memory
  bool anew = false;             ///< begins again where a build is under way
  bool with_names = false;       ///< vertices have names, which are kept
  bool with_attributes = false;  ///< keeps what the inputs say of vertices and edges
                                 ///< (`keep_attributes.hpp`), in ordinary memory until the end
  unsigned threads = 1;
  std::function<void()> on_checkpoint = {};  ///< called after each checkpoint; what it throws ends the build
  reading_watch watch = {};                  ///< called once, with the graph's name
};

struct build_result {
  const stored_csr* graph = nullptr;
  bool resumed = false;    ///< went on with a build that was interrupted
  bool was_built = false;  ///< the store has the graph of these inputs, so made, already; nothing has changed
  std::uint64_t checkpoints = 0;
  std::uint64_t skipped_lines = 0;
  std::vector<std::string> attributes = {};       ///< names of those of vertices that were kept
  std::vector<std::string> edge_attributes = {};  ///< names of those of edges that were kept
  bool lacks_times = false;                       ///< an input has times, which were not kept
};

/// Makes the CSR `options.graph` of all edges of the inputs, of a directed graph with incoming arcs, with
/// weights if an input has some. Half of the budget is for arcs that are sorted; the store itself should be
/// opened `paged` with the other half. With a budget a checkpoint is made after each step
/// (`external_build.hpp`, and for `by_degree` `degree_ordering.hpp`, which needs twice the disk), and the
/// same call in a process that opens the store again goes on from there. The caller makes the last
/// checkpoint.
///
/// If `with_names` is set, the inputs were opened with `names`, and the names are kept as those of a growing
/// graph are (`graph_objects.hpp`). If `with_attributes` is set, they were opened with `keep_attributes`; the
/// times of GraphML and GML are kept then too, as the edges' property `time`.
///
/// Throws `already_exists` where the store has something else of this name, or a graph of other inputs;
/// `invalid_argument` where a build of other inputs is under way, or of inputs that cannot be read twice;
/// `read_only`; and what reading and building throw. Call `discard` of the
/// store then.
build_result build_graph(manager& store, std::vector<graph_input>& inputs, const build_options& options = {},
                         deferred_names* names = nullptr);

}  // namespace perdure::graph
