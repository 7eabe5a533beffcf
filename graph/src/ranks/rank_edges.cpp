// Hands out rows one after the other, each arc that does not lead back.
#include <cstddef>
#include <perdure/graph/ranks/rank_edges.hpp>
#include <utility>

#include "ranks/ghost_values.hpp"
#include "ranks/numbers_of_all.hpp"

namespace perdure::graph {
namespace {

constexpr std::size_t edges_of_a_batch = std::size_t{1} << 14;

}  // namespace

rank_edges::rank_edges(rank_graph graph, rank_exchange& ranks)
    : graph_(std::move(graph)),
      // A rank without vertices has no ids either.
      has_ids_(detail::sum_of_all(graph_.ids().size(), ranks) != 0) {
  if (!has_ids_) return;
  ghost_ids_.resize(graph_.ghosts().size());
  detail::exchange_with_ghosts<vertex_id>(
      graph_.plan(), ranks, [this](vertex_handle v) { return graph_.ids()[v]; },
      [this](vertex_handle ghost, vertex_id id) { ghost_ids_[ghost - graph_.size()] = id; });
}

vertex_id rank_edges::id_of(vertex_handle v) const noexcept {
  if (!has_ids_) return graph_.number(v);
  return v < graph_.size() ? graph_.ids()[v] : ghost_ids_[v - graph_.size()];
}

bool rank_edges::next(edge_batch& batch) {
  batch.clear();
  const std::lock_guard lock(mutex_);
  while (row_ < graph_.size() && batch.edges.size() < edges_of_a_batch &&
         batch.vertices.size() < edges_of_a_batch) {
    const std::uint64_t end = graph_.offsets()[row_ + std::size_t{1}];
    if (has_ids_ && arc_ == graph_.offsets()[row_]) batch.vertices.push_back(id_of(row_));
    for (; arc_ < end && batch.edges.size() < edges_of_a_batch; ++arc_) {
      const vertex_handle target = graph_.targets()[arc_];
      if (graph_.number(target) < graph_.number(row_)) continue;
      batch.edges.push_back({id_of(row_), id_of(target)});
      if (!graph_.weights().empty()) batch.values.push_back(graph_.weights()[arc_]);
    }
    if (arc_ == end) ++row_;
  }
  return !batch.edges.empty() || !batch.vertices.empty();
}

workload::progress rank_edges::progress() const noexcept {
  const std::lock_guard lock(mutex_);
  return {arc_, graph_.arcs(), "edges"};
}

id_range rank_edges::declared_vertices() const noexcept {
  return has_ids_ ? id_range{} : id_range{0, graph_.vertices()};
}

}  // namespace perdure::graph
