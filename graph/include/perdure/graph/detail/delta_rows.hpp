// The edges of a delta by the rows of a CSR that they belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/edge.hpp>
#include <span>
#include <vector>

namespace perdure::graph::detail {

/// Additions to some rows, one row after the other.
struct row_group {
  std::vector<vertex_handle> vertices;  ///< whose rows they are, ascending
  std::vector<std::size_t> ends;        ///< where each ends in `targets`
  std::vector<vertex_handle> targets;
  std::vector<double> weights;  ///< one for each target; empty: the CSR has none

  std::size_t begin_of(std::size_t i) const noexcept { return i == 0 ? 0 : ends[i - 1]; }
};

struct delta_rows {
  std::vector<vertex_id> added;  ///< ids of new vertices, ascending: handles go on from those there are
  row_group out;
  row_group in;  ///< additions to the incoming arcs; only in a directed graph that has these
};

/// Returns whether such a graph tells where arcs come from: of one that is empty, so will what is added.
inline bool keeps_incoming(const csr_view& base) noexcept {
  return !base.symmetric() && (base.has_incoming() || base.size() == 0);
}

/// The edges, and what vertices they and `declared` bring, of a delta to a graph of `vertices` vertices:
/// those of `base`, and others that `find_added` finds. Edges of a row stay in the order in which they are
/// given. The time is what the delta takes to sort, and to look its vertices up. Throws `unsupported` where
/// there are more than 2^32 - 1 vertices.
delta_rows rows_of(const csr_view& base, std::size_t vertices,
                   const std::function<vertex_handle(vertex_id)>& find_added, std::span<const edge> edges,
                   std::span<const double> weights, std::span<const id_range> declared);

}  // namespace perdure::graph::detail
