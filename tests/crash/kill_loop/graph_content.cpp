#include "crash/kill_loop/graph_content.hpp"

#include <algorithm>
#include <perdure/graph/graph_objects.hpp>
#include <vector>

#include "support/page_pattern.hpp"

namespace perdure::crash {

namespace {

void add(graph_content& sum, graph::vertex_id source, graph::vertex_id target) {
  ++sum.edges;
  sum.digest += mix(mix(source) ^ target);
}

}  // namespace

std::optional<graph_content> content_of(const manager& store) {
  const auto* const stored = store.find<graph::stored_list>(graph::default_graph_name).first;
  if (stored == nullptr) return std::nullopt;
  graph_content sum;
  for (std::size_t i = 0; i < graph::bank_count; ++i) {
    for (const auto& [source, neighbours] : stored->bank(i)) {
      for (const graph::vertex_id target : graph::as_span(neighbours)) add(sum, source, target);
    }
  }
  return sum;
}

graph_content with_first_edges(graph_content base, const graph::rmat_parameters& parameters,
                               std::uint64_t edges) {
  const graph::rmat_generator generator(parameters);
  std::vector<graph::edge> batch;
  constexpr std::uint64_t at_once = 1 << 14;
  for (std::uint64_t first = 0; first < edges;) {
    const std::uint64_t last = std::min(edges, first + at_once);
    batch.resize(static_cast<std::size_t>(last - first));
    generator.generate(first, last, batch.data());
    for (const graph::edge& one : batch) add(base, one.source, one.target);
    first = last;
  }
  return base;
}

}  // namespace perdure::crash
