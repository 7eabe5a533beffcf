// Bounds on what a header of a file may declare.
#pragma once

#include <algorithm>
#include <cstdint>

namespace perdure::formats {

/// More bytes than any filter is expected to make of one byte of a file: deflate makes 1,032.
inline constexpr std::uint64_t most_expansion = 1100;

/// So many bytes fit into any file, compressed.
inline constexpr std::uint64_t few_declared = std::uint64_t{64} << 20;

/// Returns whether a file can hold so many bytes, compressed or not.
inline bool can_hold(std::uint64_t file_bytes, std::uint64_t declared) noexcept {
  return declared <= few_declared || declared / most_expansion <= file_bytes;
}

/// Returns how many bytes a file can hold, compressed or not.
inline std::uint64_t most_held(std::uint64_t file_bytes) noexcept {
  return std::max(few_declared,
                  file_bytes <= UINT64_MAX / most_expansion ? file_bytes * most_expansion : UINT64_MAX);
}

}  // namespace perdure::formats
