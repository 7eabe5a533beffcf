// Union-find by many threads at once, in an array of the caller's: a vertex's parent is never larger than the
// vertex, a root is its own parent, and links only ever lower a root. So each root is the smallest of its
// tree.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <perdure/graph/vertex.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>

namespace perdure::graph::detail {

class component_forest {
 public:
  /// Each vertex alone.
  component_forest(std::span<vertex_handle> parents, unsigned threads);

  vertex_handle parent(vertex_handle v) const noexcept {
    return std::atomic_ref(parents_[v]).load(std::memory_order_relaxed);
  }

  /// Hooks the higher of two roots below the lower; when another thread was faster, starts again from there.
  void link(vertex_handle u, vertex_handle v) const noexcept {
    vertex_handle a = parent(u);
    vertex_handle b = parent(v);
    while (a != b) {
      const vertex_handle high = std::max(a, b);
      const vertex_handle low = std::min(a, b);
      vertex_handle above = parent(high);
      if (above == low) return;
      if (above == high &&
          std::atomic_ref(parents_[high]).compare_exchange_strong(above, low, std::memory_order_relaxed))
        return;
      a = parent(parent(high));
      b = parent(low);
    }
  }

  /// Afterwards every vertex's parent is its root (no links may run meanwhile).
  void compress() const;

  /// The most frequent root among evenly spaced vertices: almost surely that of the largest component. Only
  /// for a forest that has vertices.
  vertex_handle frequent_root() const;

 private:
  std::span<vertex_handle> parents_;
  unsigned threads_;
};

}  // namespace perdure::graph::detail
