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

/// The state of a growing graph's CSR.
enum class frozen_state : std::uint8_t {
  none,   ///< the graph was never frozen
  fresh,  ///< CSR, patch and delta together are the graph as it is now
  stale,  ///< the graph has changed otherwise; `growing_graph::freeze` builds the CSR anew
};

/// A view of a stored graph, whichever form it has. It is made by `stored_graph::view`, refers to the store's
/// memory, and is valid until the graph changes or the store is closed.
///
/// Thread safety: const members from any thread.
class any_view {
 public:
  explicit any_view(const csr_view& rows) : form_(rows) {}
  explicit any_view(std::unique_ptr<const patched_csr> rows) : form_(std::move(rows)) {}
  explicit any_view(std::unique_ptr<const vertex_index> index) : form_(std::move(index)) {}

  /// Calls `work(view)` and returns its result. `view` is a `csr_view`, a `patched_csr_view` or a
  /// `vertex_index`; `work` must return the same type for each.
  template <class Work>
  decltype(auto) visit(Work&& work) const {
    if (const auto* const rows = std::get_if<csr_view>(&form_)) return work(*rows);
    if (const auto* const rows = std::get_if<1>(&form_)) return work((*rows)->view());
    return work(*std::get<2>(form_));
  }
  /// Returns whether the view needed no index: the graph is a CSR without additions.
  bool is_plain_csr() const noexcept { return form_.index() == 0; }

 private:
  std::variant<csr_view, std::unique_ptr<const patched_csr>, std::unique_ptr<const vertex_index>> form_;
};

/// A graph in a store, and what belongs to it: either a growing graph (an adjacency list, with weights,
/// times, names and a frozen form beside it), or a CSR that does not grow. The store must outlive it. Or the
/// graph of ranks in a set of stores (`set_graph`), of which this process has a copy in memory.
///
/// Thread safety: const members from any thread, while nobody changes the graph.
class stored_graph {
 public:
  /// Finds the graph called `name`; without a name the graph called `graph`, or else the only one in the
  /// store. Throws `not_found`, `wrong_type` where something else has the name, and `invalid_argument` where
  /// there is no name and the store holds several graphs. O(1), or O(named objects) without a name.
  explicit stored_graph(const manager& store, const std::string& name = {});
  /// Reads the whole graph of ranks called `name`; without a name the only one. Throws what `set_graph`
  /// throws, and `unsupported` beyond 2^32 - 1 vertices. O(vertices + arcs).
  explicit stored_graph(const set_reader& set, const std::string& name = {});

  const std::string& name() const noexcept { return name_; }
  /// The adjacency list of a growing graph, else null.
  const stored_list* list() const noexcept { return list_; }
  /// The CSR of a graph that does not grow, else null.
  const stored_csr* csr() const noexcept { return csr_; }
  /// Columns of a growing graph's edges; null: edges have no weights, or no times.
  const stored_column* weights() const noexcept { return weights_; }
  const stored_column* times() const noexcept { return times_; }
  /// Names of the vertices; null: vertices have ids only.
  const stored_names* names() const noexcept { return names_; }

  /// The rows of a graph that does not grow: of the CSR, or of the copy of a graph of ranks. Valid as long as
  /// this object. Nothing for a growing graph.
  std::optional<csr_view> rows() const noexcept;

  bool undirected() const noexcept;
  bool has_weights() const noexcept;
  /// O(banks) of a growing graph.
  std::uint64_t vertices() const;
  /// Number of edges; an undirected edge counts once.
  std::uint64_t edges() const noexcept;
  std::uint64_t self_loops() const noexcept;
  std::uint64_t arcs() const noexcept;

  /// Returns the state of the frozen form. O(banks).
  frozen_state frozen() const;
  /// Returns a view for algorithms:
  /// - of a CSR the CSR, in O(1), and of a graph of ranks the copy;
  /// - of a growing graph whose frozen form is fresh the CSR with the additions since (`patched_csr`);
  /// - else an index of the adjacency list, in O(vertices) by `threads` threads.
  ///
  /// Throws `std::bad_alloc`, and `unsupported` beyond 2^32 - 1 vertices.
  any_view view(unsigned threads = 1) const;

  /// Returns the vertex's name where vertices have names, else its id in decimal.
  std::string name_of(vertex_id id) const;
  /// Returns the id of the vertex that is called so: the vertex of that name, or else of that number. Nothing
  /// where the text is neither. The id need not be a vertex of the graph: ask `find` of the view.
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

/// Returns the names of all graphs in the store, sorted, without the frozen forms of growing graphs.
/// O(named objects log graphs).
std::vector<std::string> graphs_in(const manager& store);

}  // namespace perdure::graph
