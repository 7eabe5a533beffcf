// A graph in a store that edges are added to, and its frozen form.
//
//     perdure::manager store(perdure::open_or_create, "web.store");
//     graph::growing_graph web(store, "web", {.kind = graph::direction::undirected});
//     web.add(*graph::open_graph_file("web.txt.gz"), {.threads = 8});
//     web.freeze({.threads = 8});
//     web.add(std::vector<graph::edge>{{1, 2}, {2, 3}});   // the frozen form stays up to date
//     store.checkpoint();
//
// `stored_graph.hpp` finds the graph again, and has views of it for algorithms.
#pragma once

#include <cstdint>
#include <optional>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/detail/frozen_graph.hpp>
#include <perdure/graph/edge_source.hpp>
#include <perdure/graph/graph_objects.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/merge_duplicates.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/manager.hpp>
#include <span>
#include <string>

namespace perdure::graph {

/// Requirements on a graph that is found or made.
struct growth_options {
  /// The graph's direction. An existing graph of the other one is an error. Nothing: either will do.
  std::optional<direction> kind = {};
  /// Direction of a graph that is made, where `kind` says nothing.
  direction kind_if_new = direction::directed;
  bool with_weights = false;  ///< makes the column of weights, if the graph has none
  bool with_times = false;    ///< makes the column of times, if the graph has none
  bool with_names = false;    ///< makes the names of vertices, if the graph is empty
  unsigned threads = 1;       ///< number of threads that fill a new column for the edges that are there
};

struct freeze_options {
  vertex_order order = vertex_order::by_id;  ///< order of a CSR that is built anew
  bool rebuild = false;                      ///< builds the CSR anew, also where it is up to date
  bool whole = false;                        ///< merges everything into the CSR, also where there is little
  unsigned threads = 1;
};

/// The step that `freeze` took.
enum class freeze_action : std::uint8_t {
  built,    ///< made the CSR from the list
  patched,  ///< took the edges added since into the patch
  merged,   ///< made a new CSR of CSR, patch and delta
  kept,     ///< nothing: the frozen form was up to date
};
/// Returns the action's name: "built", "patched", "merged", "kept".
const char* name_of(freeze_action action) noexcept;

struct freeze_result {
  freeze_action done = freeze_action::kept;
  std::uint64_t merged_edges = 0;  ///< edges that were taken from the delta
  std::uint64_t vertices = 0;      ///< in the frozen form
  std::uint64_t arcs = 0;          ///< in the frozen form, those of the patch included
  std::uint64_t patch_arcs = 0;
  std::uint64_t bytes = 0;  ///< size of the CSR's arrays
};

/// A growing graph in a store: an adjacency list, with weights, times and names where edges and vertices have
/// them, and a CSR beside it (the frozen form) once `freeze` was called.
///
/// Each member that adds edges leaves the frozen form fresh, so that every checkpoint between two calls has
/// the list and the CSR in the same state. While a call adds edges the frozen form is stale: a checkpoint
/// made meanwhile by another thread has a graph that analyses read from the list. After an exception the
/// frozen form stays stale until `freeze` builds it anew; or go back to the last checkpoint.
///
/// Nothing is durable before the store's next checkpoint. The store must outlive this object, which is one of
/// a time for each graph.
///
/// Thread safety: as a standard container's.
class growing_graph {
 public:
  /// Finds the graph or makes it, with the columns that are asked for. Throws
  /// - `read_only` in a store that is open for reading;
  /// - `wrong_type` where `name` is a CSR, which does not grow, or no graph;
  /// - `invalid_argument` where the graph has the other direction; where its vertices have names and
  ///   `with_names` is not given, since ids that are not numbers of names would be mixed up with those that
  ///   are; and where `with_names` is given and its vertices have none;
  /// - `std::bad_alloc`, and what constructing throws.
  ///
  /// O(1), or O(vertices + edges) for a column that is made for a graph with edges.
  explicit growing_graph(manager& store, const std::string& name = default_graph_name,
                         const growth_options& options = {});
  /// Finds a graph that is there, with what it has. Throws `not_found`, `read_only`, `wrong_type`. If its
  /// vertices have names, add only edges whose ids come from `names()`.
  static growing_graph open(manager& store, const std::string& name = default_graph_name);
  growing_graph(const growing_graph&) = delete;
  growing_graph& operator=(const growing_graph&) = delete;

  const std::string& name() const noexcept { return name_; }
  const stored_list& list() const noexcept { return *list_; }
  const stored_column* weights() const noexcept { return columns_.weights; }
  const stored_column* times() const noexcept { return columns_.times; }
  /// Names of the vertices, to be added to; null: vertices have ids only.
  stored_names* names() const noexcept { return names_; }
  /// Returns the state of the frozen form. O(banks).
  frozen_state frozen() const;

  /// Adds the edges of a source to the list, its columns and the frozen form. If what was added since the
  /// last `freeze` has grown to a quarter of the CSR, it is merged into the CSR, so that an edge costs the
  /// same on average. Throws what `ingest` and the source throw; see above for the state afterwards.
  ingest_result add(edge_source& source, const ingest_options& options = {});
  /// Adds edges from memory. `weights` and `times` have one number for each edge, or none; edges without them
  /// weigh 1 and have the time 0 in a graph with these columns. Throws `invalid_argument` where the numbers
  /// do not fit the edges, or the graph has no such column.
  void add(std::span<const edge> edges, std::span<const double> weights = {},
           std::span<const double> times = {}, unsigned threads = 1);

  /// Makes one edge of several between the same vertices, as `graph::merge_duplicates`. The frozen form is
  /// stale afterwards, unless `how` is `keep` or `error`.
  void merge_duplicates(duplicate_edges how, unsigned threads = 1);

  /// Brings the frozen form up to date: builds the CSR the first time, and where it is stale; later takes
  /// what was added into its patch, which costs what was added, or into the CSR where it is much. Throws
  /// `std::bad_alloc`, and `unsupported` beyond 2^32 - 1 vertices.
  freeze_result freeze(const freeze_options& options = {});

 private:
  struct existing {};
  growing_graph(existing, manager& store, const std::string& name);
  /// Finds or makes the columns, and finds the frozen form.
  void find_columns(const growth_options& options);

  manager& store_;
  std::string name_;
  stored_list* list_;
  stored_names* names_ = nullptr;
  edge_columns<store_containers> columns_;
  std::optional<detail::frozen_graph> frozen_;  // none: there is no frozen form, or it is stale
};

}  // namespace perdure::graph
