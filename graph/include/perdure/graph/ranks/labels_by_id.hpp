// Labels of vertices that were stored by id, for a graph that numbers its vertices in another way.
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

/// Vertices by their ids in the input, each with a label. Vertices with the same label belong together.
struct labels_by_id {
  std::vector<vertex_id> ids;         ///< ids of the vertices
  std::vector<std::uint64_t> labels;  ///< label of each
};

/// Labels for the vertices of a graph.
struct matched_labels {
  /// For each own vertex the smallest number of a vertex with the same label; its own number if it has no
  /// label.
  std::vector<vertex_id> labels;
  std::uint64_t matched = 0;  ///< number of vertices of all ranks that have a label
  std::uint64_t left = 0;     ///< number of labels of all ranks whose id is not a vertex
};

/// Collective. Finds the labels of vertices by their ids. `ids` has the ids of own vertices, in the order of
/// their numbers over all ranks. `given` is a share of all labels, in any order. The result does not depend
/// on which rank has which labels. Throws `invalid_argument` on all ranks if an id has two labels.
///
/// O(vertices + labels). Each label is sent with its id to a rank that a hash of the id chooses, and each
/// vertex asks that rank: 16 bytes for each label, and 8 for each vertex and 16 back. Each different label of
/// a rank's vertices takes 24 bytes more, and 8 back.
matched_labels match_labels(std::span<const vertex_id> ids, const labels_by_id& given, rank_exchange& ranks);

}  // namespace perdure::graph
