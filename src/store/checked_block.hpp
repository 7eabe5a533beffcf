// Blocks that end in their own checksum.
#pragma once

#include <cstddef>
#include <type_traits>

#include "os/crc32c.hpp"
#include "store/layout.hpp"

namespace perdure {

template <class Block>
std::uint32_t checksum_of(const Block& content) noexcept {
  static_assert(std::is_trivially_copyable_v<Block> && sizeof(Block) == layout::block);
  return os::crc32c(0, &content, offsetof(Block, crc));
}

template <class Block>
void seal_block(Block& content) noexcept {
  content.crc = checksum_of(content);
}

template <class Block>
bool is_sound(const Block& content, const layout::magic& magic) noexcept {
  return content.magic == magic && content.crc == checksum_of(content);
}

/// The checksum of a page of the segment: seeded with its number, so that a page in the wrong place is
/// found, and never one of the reserved values.
inline std::uint32_t page_checksum(std::uint64_t page, const void* bytes) noexcept {
  const std::uint32_t crc = os::crc32c(os::crc32c(0, &page, sizeof page), bytes, page_size);
  return crc < layout::first_checksum ? crc + layout::first_checksum : crc;
}

/// The same while copying the page.
inline std::uint32_t copy_page(std::uint64_t page, void* to, const void* from) noexcept {
  const std::uint32_t crc = os::crc32c_copy(os::crc32c(0, &page, sizeof page), to, from, page_size);
  return crc < layout::first_checksum ? crc + layout::first_checksum : crc;
}

}  // namespace perdure
