// The edges of a graph of ranks, to make another graph of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <perdure/graph/edge_source.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/vertex.hpp>
#include <perdure/workload/progress.hpp>
#include <vector>

namespace perdure::graph {

/// The vertices and edges of a rank's part, by ids, with weights if there are some. All ranks together hand
/// out each edge once: the rank of the end with the smaller number does.
///
/// Thread safety: like every `edge_source`.
class rank_edges final : public edge_source {
 public:
  /// Collective. Sends the ids of vertices to the ranks that see them. Keeps the graph as long as this
  /// object.
  rank_edges(rank_graph graph, rank_exchange& ranks);

  /// Replaces the content of `batch` by the next edges. Returns false at the end.
  bool next(edge_batch& batch) override;
  /// Returns the progress through this rank's part.
  workload::progress progress() const noexcept override;
  /// Returns the range of all vertices if their ids are their numbers.
  id_range declared_vertices() const noexcept override;

 private:
  vertex_id id_of(vertex_handle v) const noexcept;

  rank_graph graph_;
  bool has_ids_;
  std::vector<vertex_id> ghost_ids_;
  mutable std::mutex mutex_;
  vertex_handle row_ = 0;
  std::uint64_t arc_ = 0;
};

}  // namespace perdure::graph
