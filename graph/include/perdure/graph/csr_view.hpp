// A graph in two arrays (compressed sparse rows), wherever they lie.
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

/// A wide number of a vertex as the narrow one that algorithms use.
struct narrowed {
  vertex_handle operator()(std::uint64_t v) const noexcept { return static_cast<vertex_handle>(v); }
};

}  // namespace detail

/// The arrays of a graph that does not change: in ordinary memory, in a store, in a mapped file, in a region
/// of the pager. A graph view; copy it freely. The arrays must outlive it.
///
/// `offsets` has an entry for each vertex, where its neighbours begin in `targets`, and one more, the end.
/// The others may be empty. Arrays that `csr` holds may be read a little beyond their ends (`padded_array`).
/// `Target` is the type of the numbers in `targets`; algorithms see 32-bit ones whatever it is.
template <class Weight, class Target = vertex_handle>
struct basic_csr_view {
  std::span<const std::uint64_t> offsets;
  std::span<const Target> targets;
  direction kind = direction::undirected;
  /// Where arcs come from, of a directed graph: the same for the graph with all arcs turned round.
  std::span<const std::uint64_t> in_offsets = {};
  std::span<const Target> in_targets = {};
  /// What the input calls each vertex. Empty: vertices are called by their numbers.
  std::span<const vertex_id> ids = {};
  /// The vertices ordered by their ids. Empty: as they are numbered.
  std::span<const vertex_handle> by_id = {};
  /// One for each entry of `targets`. Empty: arcs have no weights.
  std::span<const Weight> arc_weights = {};

  std::size_t size() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::uint64_t arcs() const noexcept { return targets.size(); }
  bool symmetric() const noexcept { return kind == direction::undirected; }

  std::uint64_t degree(vertex_handle v) const noexcept { return offsets[v + std::size_t{1}] - offsets[v]; }
  /// A span where targets are 32-bit numbers.
  auto neighbours(vertex_handle v) const noexcept { return row(targets, offsets, v); }

  bool has_weights() const noexcept { return !arc_weights.empty(); }
  /// In the order of `neighbours(v)`; empty where arcs have none.
  std::span<const Weight> weights(vertex_handle v) const noexcept {
    if (arc_weights.empty()) return {};
    return {arc_weights.data() + offsets[v], arc_weights.data() + offsets[v + std::size_t{1}]};
  }

  bool has_incoming() const noexcept { return symmetric() || !in_offsets.empty(); }
  std::uint64_t in_degree(vertex_handle v) const noexcept {
    return symmetric() ? degree(v) : in_offsets[v + std::size_t{1}] - in_offsets[v];
  }
  auto incoming(vertex_handle v) const noexcept {
    return symmetric() ? neighbours(v) : row(in_targets, in_offsets, v);
  }

  vertex_id id(vertex_handle v) const noexcept { return ids.empty() ? v : ids[v]; }
  /// The vertex of this id, or `no_vertex`. O(log vertices), O(1) where they are called by their numbers.
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
  /// O(vertices).
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

using csr_view = basic_csr_view<double>;

}  // namespace perdure::graph
