// A volatile view of an adjacency list for algorithms: vertices numbered 0, 1, 2, …
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/edge.hpp>
#include <perdure/graph/parallel.hpp>
#include <span>
#include <vector>

namespace perdure::graph {

/// Dense number of a vertex: the index into an algorithm's working arrays.
using vertex_handle = std::uint32_t;
inline constexpr vertex_handle no_vertex = std::numeric_limits<vertex_handle>::max();

/// Numbers the vertices bank by bank and finds a vertex's number by its id. Neighbour lists are not copied:
/// the graph must stay unchanged and open while the index is in use.
///
/// Ids without large gaps are looked up in an array, others in a hash table.
/// Thread safety: const members from any thread.
class vertex_index {
 public:
  /// O(vertices). Throws `errc::unsupported` beyond 2^32 - 2 vertices.
  template <container_family Family>
  explicit vertex_index(const adjacency_list<Family>& graph, unsigned threads = 1)
      : symmetric_(graph.undirected()), arcs_(graph.arcs()), first_(bank_count + 1) {
    for (std::size_t i = 0; i < bank_count; ++i) first_[i + 1] = first_[i] + graph.bank(i).size();
    resize();
    parallel_for(threads, bank_count, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        std::size_t h = first_[i];
        for (const auto& [id, neighbours] : graph.bank(i)) {
          ids_[h] = id;
          neighbours_[h] = as_span(neighbours);
          ++h;
        }
      }
    });
    make_lookup(threads);
  }

  std::size_t size() const noexcept { return ids_.size(); }
  /// Stored neighbour entries in all.
  std::uint64_t arcs() const noexcept { return arcs_; }
  /// Whether each edge is stored with both ends.
  bool symmetric() const noexcept { return symmetric_; }

  vertex_id id(vertex_handle h) const noexcept { return ids_[h]; }
  std::span<const vertex_id> neighbours(vertex_handle h) const noexcept { return neighbours_[h]; }

  /// The vertex's handle, or `no_vertex`. O(1).
  vertex_handle find(vertex_id v) const noexcept {
    if (!by_id_.empty()) return v < by_id_.size() ? by_id_[v] : no_vertex;
    const std::size_t bank = bank_of(v);
    const std::size_t mask = table_first_[bank + 1] - table_first_[bank] - 1;
    const slot* table = table_.data() + table_first_[bank];
    for (std::size_t i = vertex_hash{}(v)&mask;; i = (i + 1) & mask) {
      if (table[i].handle == no_vertex || table[i].id == v) return table[i].handle;
    }
  }

  /// All handles, ordered by the vertices' ids. O(vertices log vertices).
  std::vector<vertex_handle> in_id_order() const;

 private:
  struct slot {
    vertex_id id;
    vertex_handle handle = no_vertex;
  };

  void resize();
  void make_lookup(unsigned threads);

  bool symmetric_;
  std::uint64_t arcs_;
  std::vector<std::size_t> first_;  // handle of each bank's first vertex
  std::vector<vertex_id> ids_;
  std::vector<std::span<const vertex_id>> neighbours_;
  // One of two ways to find a handle: an array over all ids, or per bank a table of twice its size.
  std::vector<vertex_handle> by_id_;
  std::vector<slot> table_;
  std::vector<std::size_t> table_first_;
};

}  // namespace perdure::graph
