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
  /// Direction of the graph. An existing graph with the other direction is an error. Nothing: either
  /// direction is accepted.
  std::optional<direction> kind = {};
  /// Direction of a new graph if `kind` is empty.
  direction kind_if_new = direction::directed;
  bool with_weights = false;  ///< makes the column of weights if the graph has none
  bool with_times = false;    ///< makes the column of times if the graph has none
  bool with_names = false;    ///< makes the names of vertices if the graph is empty
  unsigned threads = 1;       ///< threads that fill a new column for existing edges
};

/// Options of `growing_graph::freeze`.
struct freeze_options {
  /// Numbering of the vertices when the CSR is built from the list.
  vertex_order order = vertex_order::by_id;
  bool rebuild = false;  ///< builds the CSR from the list even if the frozen form is up to date
  bool whole = false;    ///< merges all additions into the CSR, even if they are few
  unsigned threads = 1;  ///< number of threads
};

/// The step that `freeze` took.
enum class freeze_action : std::uint8_t {
  built,    ///< made the CSR from the list
  patched,  ///< moved the edges of the delta into the patch
  merged,   ///< made a new CSR of CSR, patch and delta
  kept,     ///< nothing: the frozen form was up to date
};
/// Returns the name of an action: "built", "patched", "merged", "kept".
const char* name_of(freeze_action action) noexcept;

/// Result of `growing_graph::freeze`.
struct freeze_result {
  freeze_action done = freeze_action::kept;  ///< the step that was taken
  std::uint64_t merged_edges = 0;            ///< edges that were taken from the delta
  std::uint64_t vertices = 0;                ///< vertices of the frozen form
  std::uint64_t arcs = 0;                    ///< arcs of the frozen form, including those of the patch
  std::uint64_t patch_arcs = 0;              ///< arcs of the patch
  std::uint64_t bytes = 0;                   ///< size of the CSR's arrays
};

/// A growing graph in a store: an adjacency list, with weights, times and names where edges and vertices have
/// them. Once `freeze` was called, a CSR lies beside it (the frozen form).
///
/// Each member that adds edges leaves the frozen form fresh. So every checkpoint between two calls has the
/// list and the CSR in the same state. While a call adds edges, the frozen form is stale: if another thread
/// makes a checkpoint then, analyses of that checkpoint read the list. After an exception the frozen form
/// stays stale until `freeze` builds it again, or the store goes back to the last checkpoint.
///
/// Changes are durable from the store's next checkpoint on. The store must outlive this object. Only one such
/// object may exist for a graph at a time.
///
/// Thread safety: like a standard container.
class growing_graph {
 public:
  /// Finds the graph or makes it, with the columns that `options` ask for. O(1), or O(vertices + edges) for a
  /// new column of a graph with edges. Throws
  /// - `read_only` in a store that is open for reading;
  /// - `wrong_type` if `name` is a CSR, which does not grow, or not a graph;
  /// - `invalid_argument` if the graph has the other direction;
  /// - `invalid_argument` if exactly one of the graph and `options` has names: ids that are numbers of names
  ///   must not be mixed with other ids;
  /// - `std::bad_alloc`, and what constructing throws.
  explicit growing_graph(manager& store, const std::string& name = default_graph_name,
                         const growth_options& options = {});
  /// Finds an existing graph with the columns that it has. Throws `not_found`, `read_only`, `wrong_type`. If
  /// its vertices have names, add only edges whose ids come from `names()`.
  static growing_graph open(manager& store, const std::string& name = default_graph_name);
  growing_graph(const growing_graph&) = delete;
  growing_graph& operator=(const growing_graph&) = delete;

  /// Returns the graph's name in the store.
  const std::string& name() const noexcept { return name_; }
  /// Returns the adjacency list.
  const stored_list& list() const noexcept { return *list_; }
  /// Returns the column of weights, or null if edges have none.
  const stored_column* weights() const noexcept { return columns_.weights; }
  /// Returns the column of times, or null if edges have none.
  const stored_column* times() const noexcept { return columns_.times; }
  /// Returns the names of the vertices, to which names may be added, or null if vertices have ids only.
  stored_names* names() const noexcept { return names_; }
  /// Returns the state of the frozen form. O(banks).
  frozen_state frozen() const;

  /// Adds the edges of a source to the list, its columns and the frozen form. When the additions since the
  /// last `freeze` reach a quarter of the CSR, they are merged into the CSR. So the cost of an edge stays the
  /// same on average. Throws what `ingest` and the source throw; see the class for the state afterwards.
  ingest_result add(edge_source& source, const ingest_options& options = {});
  /// Adds edges from memory. `weights` and `times` have one number for each edge, or are empty; edges without
  /// numbers get the weight 1 and the time 0 in a graph with these columns. Throws `invalid_argument` if
  /// their lengths differ or the graph lacks the column.
  void add(std::span<const edge> edges, std::span<const double> weights = {},
           std::span<const double> times = {}, unsigned threads = 1);

  /// Merges parallel edges into one, like `graph::merge_duplicates`. The frozen form is stale afterwards,
  /// unless `how` is `keep` or `error`.
  void merge_duplicates(duplicate_edges how, unsigned threads = 1);

  /// Brings the frozen form up to date. Builds the CSR the first time and when it is stale. Otherwise moves
  /// the additions into its patch, in time proportional to their number, or merges them into the CSR if they
  /// are many. Throws `std::bad_alloc`, and `unsupported` beyond 2^32 - 1 vertices.
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
