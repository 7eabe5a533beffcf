// Bounds on what a header of a file may declare.
#pragma once

#include <cstdint>

namespace perdure::formats {

/// More bytes than any filter is expected to make of one byte of a file: deflate makes 1,032.
inline constexpr std::uint64_t most_expansion = 1100;

/// Returns whether a file can hold so many bytes, compressed or not. Few bytes always fit.
inline bool can_hold(std::uint64_t file_bytes, std::uint64_t declared) noexcept {
  constexpr std::uint64_t few = std::uint64_t{64} << 20;
  return declared <= few || declared / most_expansion <= file_bytes;
}

}  // namespace perdure::formats
