// Finds the number of a vertex by its id.
#pragma once

#include <cstddef>
#include <perdure/graph/vertex.hpp>
#include <perdure/graph/vertex_hash.hpp>
#include <span>
#include <vector>

namespace perdure::graph {

/// A map from ids to vertex numbers: an array over all ids if they have no large gaps, otherwise a hash
/// table.
///
/// Thread safety: const members from any thread.
class id_lookup {
 public:
  /// Maps `ids[i]` to `i`. The ids must differ, and there may be at most `most_vertices`. O(vertices). Throws
  /// `std::bad_alloc`.
  id_lookup(std::span<const vertex_id> ids, unsigned threads);

  /// Returns the number of the vertex with this id, or `no_vertex`. O(1).
  vertex_handle find(vertex_id v) const noexcept {
    if (!by_id_.empty()) return v < by_id_.size() ? by_id_[v] : no_vertex;
    for (std::size_t i = vertex_hash{}(v)&mask_;; i = (i + 1) & mask_)
      if (table_[i].handle == no_vertex || table_[i].id == v) return table_[i].handle;
  }

  /// Returns the numbers by id, with `no_vertex` in the gaps; empty if the ids have large gaps.
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
