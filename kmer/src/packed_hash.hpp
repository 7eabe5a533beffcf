// A hash in eight bytes that need no alignment to eight.
#pragma once

#include <cstdint>

namespace perdure::kmer::detail {

struct packed_hash {
  packed_hash() = default;
  explicit packed_hash(std::uint64_t value) noexcept
      : high(static_cast<std::uint32_t>(value >> 32)), low(static_cast<std::uint32_t>(value)) {}

  std::uint64_t value() const noexcept { return std::uint64_t{high} << 32 | low; }

  std::uint32_t high = 0;  ///< bits of the hash
  std::uint32_t low = 0;
};

}  // namespace perdure::kmer::detail
