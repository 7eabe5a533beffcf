// The rank of each id among sorted ones, in less memory than they take.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/vertex.hpp>
#include <span>
#include <vector>

namespace perdure::graph::detail {

/// Where ids are their own ranks nothing is needed; where they lie densely, two bits for each number up to
/// the largest; else every 64th id, and the sorted array is searched from there, wherever it lies.
///
/// Thread safety: const members from any thread.
class ranked_ids {
 public:
  /// The ids, without duplicates, must outlive it. Where numbers take more than `memory` bytes by two bits
  /// each, ids are searched. O(ids).
  ranked_ids(std::span<const vertex_id> sorted, std::size_t memory);

  bool are_identical() const noexcept { return identical_; }
  /// Returns the rank of an id that is among them. O(1), or O(log ids) if ids are searched.
  vertex_handle rank(vertex_id id) const noexcept {
    if (identical_) return static_cast<vertex_handle>(id);
    if (blocks_.empty()) return searched(id);
    const block& in = blocks_[id / 64];
    const std::uint64_t below = in.present & ((std::uint64_t{1} << (id % 64)) - 1);
    return static_cast<vertex_handle>(in.before + static_cast<unsigned>(std::popcount(below)));
  }

 private:
  struct block {
    std::uint64_t present = 0;  // 64 ids
    std::uint64_t before = 0;   // how many ids are below them
  };
  static constexpr std::size_t stride = 64;

  vertex_handle searched(vertex_id id) const noexcept;

  std::span<const vertex_id> sorted_;
  bool identical_ = false;
  std::vector<block> blocks_;
  std::vector<vertex_id> every_;  // every `stride`th of the sorted ones
};

}  // namespace perdure::graph::detail
