// Where a segment's bytes are in files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace perdure::detail {

/// Consecutive parts of a segment and where in which file their bytes are.
struct file_extent {
  int descriptor;
  std::uint64_t offset;
  std::size_t bytes;
};

inline std::size_t total_bytes(std::span<const file_extent> home) noexcept {
  std::size_t bytes = 0;
  for (const file_extent& extent : home) bytes += extent.bytes;
  return bytes;
}

/// Calls `visit(offset in the segment, bytes, descriptor, offset in the file)` for each piece of [begin,
/// end).
template <class Visit>
void for_pieces(std::span<const file_extent> home, std::size_t begin, std::size_t end, Visit&& visit) {
  std::size_t at = 0;
  for (const file_extent& extent : home) {
    const std::size_t from = std::max(at, begin);
    const std::size_t to = std::min(at + extent.bytes, end);
    if (from < to) visit(from, to - from, extent.descriptor, extent.offset + (from - at));
    at += extent.bytes;
  }
}

}  // namespace perdure::detail
