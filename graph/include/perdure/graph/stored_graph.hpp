// A graph in a store, found by its name, and a view of it for algorithms.
//
//     const perdure::manager store(perdure::open_read_only, "web.store");
//     const graph::stored_graph web(store);
//     web.view(8).visit([&](const auto& view) {
//       const graph::pagerank_result found = graph::pagerank(view, {.threads = 8});
//       …
//     });
//
// `growing_graph.hpp` adds edges to such a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/detail/frozen_graph.hpp>
#include <perdure/graph/graph_objects.hpp>
#include <perdure/graph/patched_csr.hpp>
#include <perdure/graph/ranks/whole_graph.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_set.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace perdure::graph {

/// State of the frozen form (the CSR) of a growing graph.
enum class frozen_state : std::uint8_t {
  none,   ///< the graph was never frozen
  fresh,  ///< CSR, patch and delta together are the current graph
  stale,  ///< the graph has changed in another way; `growing_graph::freeze` builds the CSR again
};

/// A view of a stored graph in whichever form it has. `stored_graph::view` makes it. It refers to the store's
/// memory and is valid until the graph changes or the store is closed.
///
/// Thread safety: const members from any thread.
class any_view {
 public:
  /// Holds a view of a CSR.
  explicit any_view(const csr_view& rows) : form_(rows) {}
  /// Holds a CSR with additions. `rows` must not be null.
  explicit any_view(std::unique_ptr<const patched_csr> rows) : form_(std::move(rows)) {}
  /// Holds the index of an adjacency list. `index` must not be null.
  explicit any_view(std::unique_ptr<const vertex_index> index) : form_(std::move(index)) {}

  /// Calls `work(view)` and returns its result. `view` is a `csr_view`, a `patched_csr_view` or a
  /// `vertex_index`; `work` must return the same type for each.
  template <class Work>
  decltype(auto) visit(Work&& work) const {
    if (const auto* const rows = std::get_if<csr_view>(&form_)) return work(*rows);
    if (const auto* const rows = std::get_if<1>(&form_)) return work((*rows)->view());
    return work(*std::get<2>(form_));
  }
  /// Returns whether the view is a CSR without additions, which needs no index.
  bool is_plain_csr() const noexcept { return form_.index() == 0; }

 private:
  std::variant<csr_view, std::unique_ptr<const patched_csr>, std::unique_ptr<const vertex_index>> form_;
};

/// A graph in a store with all that belongs to it. It is one of
/// - a growing graph: an adjacency list, with weights, times, names and a frozen form beside it;
/// - a CSR that does not grow;
/// - a graph of ranks in a set of stores (`set_graph`), of which this process makes a copy in memory.
///
/// The store must outlive it.
///
/// Thread safety: const members from any thread, as long as the graph does not change.
class stored_graph {
 public:
  /// Finds the graph called `name`. Without a name it takes the graph called `graph`, or else the only one in
  /// the store. O(1), or O(named objects) without a name. Throws `not_found`, `wrong_type` if something else
  /// has the name, and `invalid_argument` if there is no name and the store holds several graphs.
  explicit stored_graph(const manager& store, const std::string& name = {});
  /// Reads the whole graph of ranks called `name`; without a name the only one. O(vertices + arcs). Throws
  /// what `set_graph` throws, and `unsupported` beyond 2^32 - 1 vertices.
  explicit stored_graph(const set_reader& set, const std::string& name = {});

  /// Returns the graph's name in the store.
  const std::string& name() const noexcept { return name_; }
  /// Returns the adjacency list of a growing graph, otherwise null.
  const stored_list* list() const noexcept { return list_; }
  /// Returns the CSR of a graph that does not grow, otherwise null.
  const stored_csr* csr() const noexcept { return csr_; }
  /// Returns the column of weights of a growing graph, or null if there is none.
  const stored_column* weights() const noexcept { return weights_; }
  /// Returns the column of times of a growing graph, or null if there is none.
  const stored_column* times() const noexcept { return times_; }
  /// Returns the names of the vertices, or null if vertices have ids only.
  const stored_names* names() const noexcept { return names_; }

  /// Returns the CSR of a graph that does not grow, or of the copy of a graph of ranks; nothing for a growing
  /// graph. It is valid as long as this object.
  std::optional<csr_view> rows() const noexcept;

  /// Returns whether the graph is undirected.
  bool undirected() const noexcept;
  /// Returns whether edges have weights.
  bool has_weights() const noexcept;
  /// Returns the number of vertices. O(banks) for a growing graph, O(1) otherwise.
  std::uint64_t vertices() const;
  /// Returns the number of edges; an undirected edge counts once.
  std::uint64_t edges() const noexcept;
  /// Returns the number of edges from a vertex to itself.
  std::uint64_t self_loops() const noexcept;
  /// Returns the number of arcs: an undirected edge has two, a loop has one.
  std::uint64_t arcs() const noexcept;

  /// Returns the state of the frozen form. O(banks).
  frozen_state frozen() const;
  /// Returns a view for algorithms:
  /// - of a CSR the CSR, in O(1), and of a graph of ranks the copy;
  /// - of a growing graph whose frozen form is fresh the CSR with its additions (`patched_csr`);
  /// - otherwise an index of the adjacency list, in O(vertices) by `threads` threads.
  ///
  /// Throws `std::bad_alloc`, and `unsupported` beyond 2^32 - 1 vertices.
  any_view view(unsigned threads = 1) const;

  /// Returns the name of a vertex if vertices have names, otherwise its id in decimal.
  std::string name_of(vertex_id id) const;
  /// Returns the id of the vertex with this name, or otherwise the number in the text; nothing if the text is
  /// neither. The id need not be a vertex of the graph: `find` of the view tells.
  std::optional<vertex_id> id_of(std::string_view called) const;

 private:
  std::string name_;
  const stored_list* list_ = nullptr;
  const stored_csr* csr_ = nullptr;
  const stored_column* weights_ = nullptr;
  const stored_column* times_ = nullptr;
  const stored_names* names_ = nullptr;
  detail::frozen_parts frozen_;
  std::shared_ptr<const whole_graph> whole_;  // of ranks
};

/// Returns the names of all graphs in the store, sorted, without the frozen forms of growing graphs. O(named
/// objects log graphs).
std::vector<std::string> graphs_in(const manager& store);

}  // namespace perdure::graph
