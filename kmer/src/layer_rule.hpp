// Which layers of an index a new one is merged with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/kmer/grow_index.hpp>
#include <span>

namespace perdure::kmer::detail {

/// Returns the first of the layers that `added` entries are merged with; the number of layers for none.
/// `sizes` has the number of entries of each layer.
inline std::size_t first_to_merge(std::span<const std::uint64_t> sizes, std::uint64_t added,
                                  std::uint64_t merge_below) noexcept {
  std::size_t first = sizes.size();
  for (std::uint64_t behind = added; first > 0; --first) {
    const std::uint64_t before = sizes[first - 1];
    const bool is_small = first > 1 && before < merge_below;
    if (!is_small && before >= layer_ratio * behind) break;
    behind += before;
  }
  return first;
}

}  // namespace perdure::kmer::detail
