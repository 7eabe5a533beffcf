// CRC-32C by carry-less multiplication, 256 bytes a step, on x86-64 processors with AVX-512 and VPCLMULQDQ.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perdure::os {

/// Returns whether this processor has the instructions.
bool can_fold_crc32c() noexcept;

/// Bytes are folded in blocks of so many.
inline constexpr std::size_t folded_block = 256;

/// Advances the raw register (without the inversions before and after) over whole blocks, one at least.
/// Copies them to `to` on the way unless it is null. Only where `can_fold_crc32c` says so.
std::uint32_t fold_crc32c(std::uint32_t start, unsigned char* to, const unsigned char* from,
                          std::size_t bytes) noexcept;

}  // namespace perdure::os
