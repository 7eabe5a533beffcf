// Graphs that do not change, in two arrays (compressed sparse rows).
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/graph/edge.hpp>
#include <perdure/graph/edge_source.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <span>
#include <vector>

namespace perdure::graph {

/// The arrays, wherever they lie: in ordinary memory, in a mapped file, in a region of the pager.
struct csr_view {
  std::span<const std::uint64_t> offsets;  ///< of each vertex's first neighbour, and of the end: one more
  std::span<const vertex_handle> targets;  ///< the neighbours of all vertices
  bool symmetric = true;                   ///< each edge is there with both ends

  std::size_t size() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::uint64_t degree(vertex_handle v) const noexcept { return offsets[v + std::size_t{1}] - offsets[v]; }
  std::span<const vertex_handle> neighbours(vertex_handle v) const noexcept {
    return targets.subspan(offsets[v], degree(v));
  }
};

/// The arrays in ordinary memory, and what the input calls the vertices.
struct csr {
  std::vector<std::uint64_t> offsets;
  std::vector<vertex_handle> targets;
  std::vector<vertex_id> ids;  ///< by handle

  csr_view view() const noexcept { return {offsets, targets, true}; }
};

/// The undirected graph of all edges of a source, without loops and with each edge once; a vertex without
/// other neighbours than itself is not in it.
///
/// Vertices are numbered by falling degree, and neighbours ordered by number. So what is touched often lies
/// together, and a search from below (see `bfs`) finds a neighbour in the frontier among the first. Takes
/// 24 bytes for each edge while it works. Throws `errc::unsupported` for ids of 2^32 and more.
csr make_csr(edge_source& edges);

}  // namespace perdure::graph
