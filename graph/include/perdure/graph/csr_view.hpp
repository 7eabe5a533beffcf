// A view of a graph in compressed sparse rows, wherever the arrays lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <perdure/graph/graph_view.hpp>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

namespace perdure::graph {

namespace detail {

/// Converts a 64-bit vertex number to the 32-bit number that algorithms use.
struct narrowed {
  vertex_handle operator()(std::uint64_t v) const noexcept { return static_cast<vertex_handle>(v); }
};

}  // namespace detail

/// A graph view of arrays in ordinary memory, in a store, in a mapped file, or in a region of the pager.
/// Copies are cheap. The arrays must outlive the view and stay unchanged.
///
/// All arrays but `offsets` and `targets` may be empty. Arrays of a `csr` may be read a little beyond their
/// ends (`padded_array`). `Target` is the type of the numbers in `targets`; algorithms see 32-bit numbers in
/// any case.
///
/// The members from `size` on are those that `graph_view`, `weighted_view`, `incoming_view` and `named_view`
/// ask for. Vertex numbers must be below `size()`.
///
/// Thread safety: const members from any thread.
template <class Weight, class Target = vertex_handle>
struct basic_csr_view {
  /// The place in `targets` where the neighbours of each vertex begin, and one more element, the end:
  /// `size() + 1` elements, or none for an empty graph.
  std::span<const std::uint64_t> offsets;
  std::span<const Target> targets;         ///< neighbours of all vertices, vertex by vertex
  direction kind = direction::undirected;  ///< direction of the graph
  /// The place in `in_targets` where the incoming arcs of each vertex begin, and the end. Empty: a directed
  /// graph does not know its incoming arcs, and an undirected one needs none.
  std::span<const std::uint64_t> in_offsets = {};
  std::span<const Target> in_targets = {};  ///< sources of incoming arcs, vertex by vertex
  /// The id of each vertex in the input. Empty: ids are the vertex numbers.
  std::span<const vertex_id> ids = {};
  /// The vertices in the order of their ids. Empty: they are numbered in that order.
  std::span<const vertex_handle> by_id = {};
  /// The weight of each element of `targets`. Empty: arcs have no weights.
  std::span<const Weight> arc_weights = {};

  /// Returns the number of vertices.
  std::size_t size() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  /// Returns the number of arcs: an undirected edge has two, a loop has one.
  std::uint64_t arcs() const noexcept { return targets.size(); }
  /// Returns whether the graph is undirected.
  bool symmetric() const noexcept { return kind == direction::undirected; }

  /// Returns the number of neighbours of a vertex; parallel edges count separately. O(1).
  std::uint64_t degree(vertex_handle v) const noexcept { return offsets[v + std::size_t{1}] - offsets[v]; }
  /// Returns the neighbours of a vertex: a span if `Target` is 32 bits wide, a transformed range otherwise.
  /// O(1).
  auto neighbours(vertex_handle v) const noexcept { return row(targets, offsets, v); }

  /// Returns whether arcs have weights.
  bool has_weights() const noexcept { return !arc_weights.empty(); }
  /// Returns the weights of a vertex's arcs, in the order of `neighbours(v)`; empty if arcs have none. O(1).
  std::span<const Weight> weights(vertex_handle v) const noexcept {
    if (arc_weights.empty()) return {};
    return {arc_weights.data() + offsets[v], arc_weights.data() + offsets[v + std::size_t{1}]};
  }

  /// Returns whether `incoming` and `in_degree` may be called.
  bool has_incoming() const noexcept { return symmetric() || !in_offsets.empty(); }
  /// Returns the number of incoming arcs of a vertex. Needs `has_incoming()`. O(1).
  std::uint64_t in_degree(vertex_handle v) const noexcept {
    return symmetric() ? degree(v) : in_offsets[v + std::size_t{1}] - in_offsets[v];
  }
  /// Returns the vertices that have `v` as a neighbour. Needs `has_incoming()`. O(1).
  auto incoming(vertex_handle v) const noexcept {
    return symmetric() ? neighbours(v) : row(in_targets, in_offsets, v);
  }

  /// Returns the id of a vertex in the input. O(1).
  vertex_id id(vertex_handle v) const noexcept { return ids.empty() ? v : ids[v]; }
  /// Returns the vertex with this id, or `no_vertex`. O(log vertices), or O(1) if ids are the vertex numbers.
  vertex_handle find(vertex_id wanted) const noexcept {
    if (ids.empty()) return wanted < size() ? static_cast<vertex_handle>(wanted) : no_vertex;
    if (by_id.empty()) {
      const auto at = std::lower_bound(ids.begin(), ids.end(), wanted);
      return at != ids.end() && *at == wanted ? static_cast<vertex_handle>(at - ids.begin()) : no_vertex;
    }
    const auto at = std::lower_bound(by_id.begin(), by_id.end(), wanted,
                                     [this](vertex_handle v, vertex_id id) { return ids[v] < id; });
    return at != by_id.end() && ids[*at] == wanted ? *at : no_vertex;
  }
  /// Returns all vertices in the order of their ids. O(vertices).
  std::vector<vertex_handle> in_id_order() const {
    std::vector<vertex_handle> order(by_id.begin(), by_id.end());
    if (order.empty()) {
      order.resize(size());
      std::iota(order.begin(), order.end(), vertex_handle{0});
    }
    return order;
  }

 private:
  static auto row(std::span<const Target> of, std::span<const std::uint64_t> begins,
                  vertex_handle v) noexcept {
    const std::span<const Target> ends(of.data() + begins[v], of.data() + begins[v + std::size_t{1}]);
    if constexpr (std::is_same_v<Target, vertex_handle>) {
      return ends;
    } else {
      return std::ranges::transform_view(ends, detail::narrowed());
    }
  }
};

/// View of a CSR with weights of type `double`, if it has weights.
using csr_view = basic_csr_view<double>;

}  // namespace perdure::graph
