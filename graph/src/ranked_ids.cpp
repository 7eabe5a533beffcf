// Ranks by bits and counts, or by a search that begins in an array a 64th as long.
#include <algorithm>
#include <perdure/graph/detail/ranked_ids.hpp>

namespace perdure::graph::detail {

ranked_ids::ranked_ids(std::span<const vertex_id> sorted, std::size_t memory) : sorted_(sorted) {
  identical_ = sorted.empty() || sorted.back() == sorted.size() - 1;
  if (identical_) return;
  if (sorted.back() / 64 < memory / sizeof(block)) {
    blocks_.resize(sorted.back() / 64 + 1);
    for (const vertex_id id : sorted) blocks_[id / 64].present |= std::uint64_t{1} << (id % 64);
    std::uint64_t before = 0;
    for (block& one : blocks_) {
      one.before = before;
      before += static_cast<unsigned>(std::popcount(one.present));
    }
    return;
  }
  every_.reserve(sorted.size() / stride + 1);
  for (std::size_t i = 0; i < sorted.size(); i += stride) every_.push_back(sorted[i]);
}

vertex_handle ranked_ids::searched(vertex_id id) const noexcept {
  const auto at = std::upper_bound(every_.begin(), every_.end(), id) - every_.begin() - 1;
  const std::size_t begin = static_cast<std::size_t>(at) * stride;
  const auto near = sorted_.subspan(begin, std::min(stride, sorted_.size() - begin));
  return static_cast<vertex_handle>(
      begin + static_cast<std::size_t>(std::lower_bound(near.begin(), near.end(), id) - near.begin()));
}

}  // namespace perdure::graph::detail
