// Edges ordered by vertex: a counting sort in two steps, so that neither touches memory at random.
//
// First arcs are parted by ranges of vertices, of which there are about a thousand, each chunk of edges
// writing to its own places: no two threads meet. Then each range, which fits a cache, is ordered by vertex,
// and each vertex's neighbours by number.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "drawn_edges.hpp"
#include "numbering.hpp"

namespace perdure::graph::detail {

/// An arc's end, alone or with its weight; ordered by both. (Weights may be no numbers, which have an order
/// too.)
struct plain_end {
  vertex_handle target;
  bool operator<(const plain_end& other) const noexcept { return target < other.target; }
};
struct weighted_end {
  vertex_handle target;
  double weight;
  bool operator<(const weighted_end& other) const noexcept {
    return target != other.target ? target < other.target : std::strong_order(weight, other.weight) < 0;
  }
};

struct row_options {
  bool both_ends = false;  ///< each edge is an arc in both directions, a loop in one
  bool reversed = false;   ///< arcs lead from an edge's target to its source
  bool drop_loops = false;
  bool drop_duplicates = false;
  bool last_use = true;  ///< whether the chunks are not used again; they are dropped as early as possible
  unsigned threads = 1;
};

/// The neighbours of each vertex, in a memory of its own.
template <class End>
class row_lists {
 public:
  /// The chunks' ids are ranks below `vertices`, and all are narrow.
  row_lists(std::vector<edge_chunk>& chunks, std::size_t vertices, const row_options& options);

  std::uint64_t degree(vertex_handle v) const noexcept { return ends_[v] - begins_[v]; }
  std::span<const End> row(vertex_handle v) const noexcept { return {arcs_.get() + begins_[v], degree(v)}; }
  /// Returns the number of arcs of all vertices.
  std::uint64_t arcs() const noexcept { return count_; }

 private:
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint64_t> ends_;
  std::unique_ptr<End[]> arcs_;
  std::uint64_t count_ = 0;
};

extern template class row_lists<plain_end>;
extern template class row_lists<weighted_end>;

}  // namespace perdure::graph::detail
