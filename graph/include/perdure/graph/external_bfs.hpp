// Breadth-first search whose graph and working arrays lie where the caller wants them, as in a region of the
// pager that is smaller than they are.
#pragma once

#include <cstdint>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/csr.hpp>
#include <span>
#include <vector>

namespace perdure::graph {

/// What a search works with; what is in it before does not matter.
struct bfs_arrays {
  std::span<std::uint32_t> levels;    ///< one for each vertex: the result; `unreached` where there is no path
  std::span<std::uint64_t> frontier;  ///< one bit for each vertex
  std::span<std::uint64_t> next;      ///< the same

  /// Words that a set of so many vertices takes.
  static constexpr std::size_t words_for(std::size_t vertices) noexcept { return (vertices + 63) / 64; }
};

struct bfs_summary {
  std::vector<std::uint64_t> histogram;  ///< number of vertices at each level
  std::uint64_t reached = 0;
};

/// Distances in edges from `source`. Level-synchronous, and direction-optimising on symmetric graphs, as
/// `bfs`; but all arrays are gone through from beginning to end at each level, so that they may be larger
/// than memory: nothing is kept in memory but counters.
///
/// Throws `errc::not_found` when `source` is not a vertex, `errc::invalid_argument` when an array is too
/// short.
bfs_summary external_bfs(const csr_view& graph, vertex_handle source, bfs_arrays arrays,
                         unsigned threads = 1);

}  // namespace perdure::graph
