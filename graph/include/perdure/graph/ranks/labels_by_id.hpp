// Labels of vertices that were kept by id, for a graph that numbers its vertices otherwise.
//
//     const graph::labels_by_id kept = graph::stored_communities(*set.untyped(), "before", rank,
//     ranks.size()); const graph::matched_labels start = graph::match_labels(ids, kept, ranks); const
//     graph::rank_community_result found = graph::louvain_from(part, start.labels, ranks);
#pragma once

#include <cstdint>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/vertex.hpp>
#include <span>
#include <vector>

namespace perdure::graph {

/// Vertices by what the input calls them, each with a label. Those with the same one belong together.
struct labels_by_id {
  std::vector<vertex_id> ids;
  std::vector<std::uint64_t> labels;  ///< one for each
};

/// Labels for the vertices of a graph.
struct matched_labels {
  /// By own vertex: the smallest number of a vertex with the same label; its own where it has none.
  std::vector<vertex_id> labels;
  std::uint64_t matched = 0;  ///< vertices of all ranks that have a label
  std::uint64_t left = 0;     ///< labels of all ranks whose id is no vertex
};

/// Collective. Finds the labels of vertices by their ids. `ids` are those of own vertices, which all ranks
/// number one after the other; `given` is a share of all labels, in any order. The result does not depend on
/// which rank has which labels. Throws `invalid_argument` on all ranks where an id has two labels.
///
/// O(vertices + labels). Sends each label with its id to a rank that a hash of the id chooses, which each
/// vertex asks: 16 bytes for each label, 8 for each vertex and 16 back, and 24 for each different label of a
/// rank's vertices and 8 back.
matched_labels match_labels(std::span<const vertex_id> ids, const labels_by_id& given, rank_exchange& ranks);

}  // namespace perdure::graph
