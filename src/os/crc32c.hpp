// CRC-32C (Castagnoli), the checksum of everything on disk.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perdure::os {

/// The checksum of what `crc` covers followed by `bytes` bytes; 0 covers nothing.
std::uint32_t crc32c(std::uint32_t crc, const void* data, std::size_t bytes) noexcept;

/// Copies and checksums in one pass, so that the checksum is of exactly the bytes copied even if
/// another thread changes the source meanwhile.
std::uint32_t crc32c_copy(std::uint32_t crc, void* to, const void* from, std::size_t bytes) noexcept;

/// The checksum of what `crc` covers followed by a page (`page_bytes`) whose own checksum is `page`.
std::uint32_t crc32c_append_page(std::uint32_t crc, std::uint32_t page) noexcept;
inline constexpr std::size_t page_bytes = 4096;

/// The table-driven implementation, for processors without instructions for it, and for the tests.
std::uint32_t crc32c_portable(std::uint32_t crc, const void* data, std::size_t bytes) noexcept;
/// The implementation for processors that cannot fold (crc32c_folded.hpp), for the tests.
std::uint32_t crc32c_unfolded(std::uint32_t crc, const void* data, std::size_t bytes) noexcept;

}  // namespace perdure::os
