// Requirements of algorithms on a graph, wherever it is stored: vertices 0, 1, 2, … and the neighbours of
// each.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/vertex.hpp>
#include <ranges>

namespace perdure::graph {

/// A range of vertices that may be traversed several times.
template <class R>
concept handle_range = std::ranges::forward_range<R> && std::ranges::sized_range<R> &&
                       std::convertible_to<std::ranges::range_value_t<R>, vertex_handle>;

/// A graph as algorithms see it. Vertices are 0 to `size() - 1`. An *arc* is one entry of a neighbour list:
/// an undirected edge has two, a loop has one. All members are const and cheap, and may be called from any
/// thread.
///
/// `csr_view` (arrays, wherever they lie), `patched_csr_view` (such arrays and what was added) and
/// `vertex_index` (an adjacency list) are graph views. Write kernels as templates over it, with
/// `require_graph_view<Graph>()` first: the compiler then names in one sentence what a type lacks.
template <class G>
concept graph_view = requires(const G& graph, vertex_handle v) {
  /// Number of vertices.
  { graph.size() } -> std::convertible_to<std::size_t>;
  /// Number of arcs.
  { graph.arcs() } -> std::convertible_to<std::uint64_t>;
  /// Whether each arc is there in the other direction too.
  { graph.symmetric() } -> std::convertible_to<bool>;
  /// Number of neighbours.
  { graph.degree(v) } -> std::convertible_to<std::uint64_t>;
  /// Where the arcs of a vertex lead, in any order, repeated where edges are.
  { graph.neighbours(v) } -> handle_range;
};

/// A graph view that may know the sources of incoming arcs; `has_incoming()` says whether this graph does.
template <class G>
concept incoming_view = graph_view<G> && requires(const G& graph, vertex_handle v) {
  { graph.has_incoming() } -> std::convertible_to<bool>;
  /// The vertices that have `v` among their neighbours.
  { graph.incoming(v) } -> handle_range;
};

/// A graph view that may have a weight for each arc, in the order of the neighbours; `has_weights()` says
/// whether this graph has them.
template <class G>
concept weighted_view = graph_view<G> && requires(const G& graph, vertex_handle v) {
  { graph.has_weights() } -> std::convertible_to<bool>;
  { graph.weights(v) } -> std::ranges::forward_range;
};

/// A graph view that knows the ids of its vertices in the input.
template <class G>
concept named_view = graph_view<G> && requires(const G& graph, vertex_handle v, vertex_id id) {
  { graph.id(v) } -> std::convertible_to<vertex_id>;
  /// `no_vertex` where no vertex has the id.
  { graph.find(id) } -> std::convertible_to<vertex_handle>;
  /// All vertices, ordered by their ids.
  { graph.in_id_order() } -> handle_range;
};

namespace detail {

enum class view_lacks { nothing, size, arcs, symmetric, degree, neighbours, handles };

template <class G>
consteval view_lacks lacking() {
  if constexpr (!requires(const G& g) {
                  { g.size() } -> std::convertible_to<std::size_t>;
                }) {
    return view_lacks::size;
  } else if constexpr (!requires(const G& g) {
                         { g.arcs() } -> std::convertible_to<std::uint64_t>;
                       }) {
    return view_lacks::arcs;
  } else if constexpr (!requires(const G& g) {
                         { g.symmetric() } -> std::convertible_to<bool>;
                       }) {
    return view_lacks::symmetric;
  } else if constexpr (!requires(const G& g, vertex_handle v) {
                         { g.degree(v) } -> std::convertible_to<std::uint64_t>;
                       }) {
    return view_lacks::degree;
  } else if constexpr (!requires(const G& g, vertex_handle v) { g.neighbours(v); }) {
    return view_lacks::neighbours;
  } else if constexpr (!graph_view<G>) {
    return view_lacks::handles;
  } else {
    return view_lacks::nothing;
  }
}

}  // namespace detail

/// Returns true for a graph view. For any other type the program does not compile, and the compiler says what
/// is missing.
template <class G>
consteval bool require_graph_view() {
  constexpr detail::view_lacks lacks = detail::lacking<G>();
  static_assert(
      lacks != detail::view_lacks::size,
      "this is no graph view: it needs size(), the number of vertices (of a csr or an adjacency_list "
      "pass csr.view() or a vertex_index)");
  static_assert(
      lacks != detail::view_lacks::arcs,
      "this is no graph view: it needs arcs(), the number of entries in all lists of neighbours (of a "
      "csr or an adjacency_list pass csr.view() or a vertex_index)");
  static_assert(
      lacks != detail::view_lacks::symmetric,
      "this is no graph view: it needs symmetric(), whether each arc is there in the other direction too");
  static_assert(lacks != detail::view_lacks::degree,
                "this is no graph view: it needs degree(vertex_handle), the number of a vertex's neighbours");
  static_assert(lacks != detail::view_lacks::neighbours,
                "this is no graph view: it needs neighbours(vertex_handle), a range of vertex handles");
  static_assert(
      lacks != detail::view_lacks::handles,
      "this is no graph view: its neighbours(vertex_handle) must be a forward range with a size, of "
      "vertex handles (dense 32-bit numbers, not ids)");
  return lacks == detail::view_lacks::nothing;
}

/// Returns whether arcs of this graph can be followed backwards.
template <graph_view Graph>
bool knows_incoming(const Graph& graph) {
  if constexpr (incoming_view<Graph>) {
    return graph.symmetric() || graph.has_incoming();
  } else {
    return graph.symmetric();
  }
}

/// Calls `visit(u)` for each vertex `u` that has `v` as a neighbour, until `visit` returns false. The graph
/// must satisfy `knows_incoming`.
template <graph_view Graph, class Visit>
void visit_incoming(const Graph& graph, vertex_handle v, Visit&& visit) {
  if constexpr (incoming_view<Graph>) {
    if (!graph.symmetric()) {
      for (const vertex_handle u : graph.incoming(v))
        if (!visit(u)) return;
      return;
    }
  }
  for (const vertex_handle u : graph.neighbours(v))
    if (!visit(u)) return;
}

}  // namespace perdure::graph
