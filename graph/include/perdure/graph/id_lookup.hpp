// Finds the number of a vertex by its id.
#pragma once

#include <cstddef>
#include <perdure/graph/vertex.hpp>
#include <perdure/graph/vertex_hash.hpp>
#include <span>
#include <vector>

namespace perdure::graph {

/// From ids to dense numbers: an array over all ids where they have no large gaps, else a hash table.
/// Thread safety: const members from any thread.
class id_lookup {
 public:
  /// Vertex `i` is called `ids[i]`; all differ. At most `most_vertices`. O(vertices).
  id_lookup(std::span<const vertex_id> ids, unsigned threads);

  /// The number of a vertex, or `no_vertex`. O(1).
  vertex_handle find(vertex_id v) const noexcept {
    if (!by_id_.empty()) return v < by_id_.size() ? by_id_[v] : no_vertex;
    for (std::size_t i = vertex_hash{}(v)&mask_;; i = (i + 1) & mask_)
      if (table_[i].handle == no_vertex || table_[i].id == v) return table_[i].handle;
  }

  /// Numbers by id, with `no_vertex` in the gaps; empty where ids have large gaps.
  std::span<const vertex_handle> by_id() const noexcept { return by_id_; }

 private:
  struct slot {
    vertex_id id = 0;
    vertex_handle handle = no_vertex;
  };

  std::vector<vertex_handle> by_id_;
  std::vector<slot> table_;
  std::size_t mask_ = 0;
};

}  // namespace perdure::graph
