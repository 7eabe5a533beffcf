// The parts of finding components that do not depend on the type of the graph.
#include <algorithm>
#include <perdure/graph/connected_components.hpp>
#include <unordered_map>

namespace perdure::graph {
namespace detail {
namespace {

constexpr std::size_t vertices_of_piece = std::size_t{1} << 14;

}  // namespace

component_forest::component_forest(std::span<vertex_handle> parents, unsigned threads)
    : parents_(parents), threads_(threads) {
  workload::parallel_for(threads_, parents_.size(), vertices_of_piece,
                         [this](std::size_t begin, std::size_t end) {
                           for (std::size_t v = begin; v < end; ++v)
                             parents_[v] = static_cast<vertex_handle>(v);
                         });
}

void component_forest::compress() const {
  workload::parallel_for(
      threads_, parents_.size(), vertices_of_piece, [this](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const auto v = static_cast<vertex_handle>(i);
          while (parent(v) != parent(parent(v)))
            std::atomic_ref(parents_[v]).store(parent(parent(v)), std::memory_order_relaxed);
        }
      });
}

vertex_handle component_forest::frequent_root() const {
  if (parents_.empty()) return no_vertex;
  std::unordered_map<vertex_handle, unsigned> counts;
  const std::size_t step = std::max<std::size_t>(1, parents_.size() / 1024);
  for (std::size_t v = 0; v < parents_.size(); v += step) ++counts[parent(static_cast<vertex_handle>(v))];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace detail

component_summary count_components(std::span<const vertex_handle> labels) {
  component_summary result;
  std::vector<vertex_handle> sizes(labels.size());
  for (const vertex_handle label : labels) {
    if (++sizes[label] == 1) ++result.components;
    result.largest = std::max<std::uint64_t>(result.largest, sizes[label]);
  }
  return result;
}

}  // namespace perdure::graph
