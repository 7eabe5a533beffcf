// The parts of numbering an adjacency list's vertices that do not depend on its containers.
#include <algorithm>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <string>

namespace perdure::graph {

void vertex_index::resize(std::size_t vertices) {
  if (vertices > most_vertices)
    throw error(errc::unsupported, "the graph has " + std::to_string(vertices) +
                                       " vertices; algorithms work on at most 2^32 - 1");
  ids_.resize(vertices);
  neighbours_.resize(vertices);
}

std::vector<vertex_handle> vertex_index::in_id_order() const {
  std::vector<vertex_handle> order;
  order.reserve(size());
  for (const vertex_handle h : lookup_->by_id())
    if (h != no_vertex) order.push_back(h);
  if (order.size() == size()) return order;
  order.resize(size());
  std::iota(order.begin(), order.end(), vertex_handle{0});
  std::sort(order.begin(), order.end(),
            [this](vertex_handle a, vertex_handle b) { return ids_[a] < ids_[b]; });
  return order;
}

}  // namespace perdure::graph
