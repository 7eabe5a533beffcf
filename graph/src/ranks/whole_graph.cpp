// Narrows the numbers of neighbours.
#include <perdure/error.hpp>
#include <perdure/graph/ranks/whole_graph.hpp>
#include <string>
#include <utility>

namespace perdure::graph {

whole_graph::whole_graph(rank_graph graph)
    : offsets_(std::move(graph.rows.offsets)),
      weights_(std::move(graph.rows.weights)),
      ids_(std::move(graph.ids)) {
  const std::uint64_t vertices = graph.rows.bounds.back();
  if (vertices > most_vertices)
    throw error(errc::unsupported,
                "the graph has " + std::to_string(vertices) +
                    " vertices, and one process numbers 2^32 - 1: open it by several ranks");
  targets_.assign(graph.rows.targets.begin(), graph.rows.targets.end());
  for (std::size_t v = 0; v + 1 < offsets_.size(); ++v)
    for (std::uint64_t i = offsets_[v]; i < offsets_[v + 1]; ++i)
      if (targets_[i] == v) ++self_loops_;
}

csr_view whole_graph::view() const noexcept {
  return {.offsets = offsets_, .targets = targets_, .ids = ids_, .arc_weights = weights_};
}

}  // namespace perdure::graph
