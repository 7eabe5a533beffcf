// A forest in an array: parent_[v] <= v always, a root is its own parent, links only ever lower a root.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <perdure/graph/connected_components.hpp>
#include <unordered_map>

#include "relaxed.hpp"

namespace perdure::graph {
namespace {

constexpr std::size_t grain = std::size_t{1} << 12;

class forest {
 public:
  forest(std::size_t size, unsigned threads) : parent_(size), threads_(threads) {
    for (std::size_t v = 0; v < size; ++v) parent_[v] = static_cast<vertex_handle>(v);
  }

  vertex_handle parent(vertex_handle v) noexcept { return ref(v).load(relaxed); }

  // Hooks the higher of two roots below the lower; when another thread was faster, starts again from there.
  void link(vertex_handle u, vertex_handle v) noexcept {
    vertex_handle a = parent(u);
    vertex_handle b = parent(v);
    while (a != b) {
      const vertex_handle high = std::max(a, b);
      const vertex_handle low = std::min(a, b);
      vertex_handle above = parent(high);
      if (above == low) return;
      if (above == high && ref(high).compare_exchange_strong(above, low, relaxed)) return;
      a = parent(parent(high));
      b = parent(low);
    }
  }

  // Afterwards every vertex's parent is its root (no links may run meanwhile).
  void compress() {
    parallel_for(threads_, parent_.size(), grain, [this](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto v = static_cast<vertex_handle>(i);
        while (parent(v) != parent(parent(v))) ref(v).store(parent(parent(v)), relaxed);
      }
    });
  }

 private:
  std::atomic_ref<vertex_handle> ref(vertex_handle v) noexcept {
    return std::atomic_ref<vertex_handle>(parent_[v]);
  }

  std::vector<vertex_handle> parent_;
  unsigned threads_;
};

// The most frequent root among evenly spaced vertices: almost surely that of the largest component, and
// correct whichever it is.
vertex_handle frequent_root(forest& f, std::size_t size) {
  std::unordered_map<vertex_handle, unsigned> counts;
  const std::size_t step = std::max<std::size_t>(1, size / 1024);
  for (std::size_t v = 0; v < size; v += step) ++counts[f.parent(static_cast<vertex_handle>(v))];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace

component_result connected_components(const vertex_index& graph, unsigned threads) {
  component_result result;
  const std::size_t size = graph.size();
  if (size == 0) return result;
  forest f(size, threads);

  // Linking arcs [first, last) of each vertex, but for vertices whose root is `skip`.
  auto link_arcs = [&](std::size_t first, std::size_t last, vertex_handle skip) {
    parallel_for(threads, size, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto v = static_cast<vertex_handle>(i);
        if (skip != no_vertex && f.parent(v) == skip) continue;
        const auto neighbours = graph.neighbours(v);
        const std::size_t stop = std::min(last, neighbours.size());
        for (std::size_t n = first; n < stop; ++n) f.link(v, graph.find(neighbours[n]));
      }
    });
    f.compress();
  };

  constexpr std::size_t all = ~std::size_t{0};
  if (graph.symmetric()) {
    // A few neighbours of each vertex already join most of the graph into one tree. The vertices in it need
    // not look at the rest: an edge that leaves the tree is also stored with its other end.
    constexpr std::size_t sampled = 2;
    link_arcs(0, sampled, no_vertex);
    link_arcs(sampled, all, frequent_root(f, size));
  } else {
    link_arcs(0, all, no_vertex);
  }

  std::vector<std::uint32_t> sizes(size);
  std::vector<vertex_id> smallest(size, ~vertex_id{0});
  for (std::size_t i = 0; i < size; ++i) {
    const vertex_handle root = f.parent(static_cast<vertex_handle>(i));
    ++sizes[root];
    smallest[root] = std::min(smallest[root], graph.id(static_cast<vertex_handle>(i)));
  }
  result.labels.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    result.labels[i] = smallest[f.parent(static_cast<vertex_handle>(i))];
    if (sizes[i] == 0) continue;
    ++result.components;
    result.largest = std::max<std::uint64_t>(result.largest, sizes[i]);
  }
  return result;
}

}  // namespace perdure::graph
