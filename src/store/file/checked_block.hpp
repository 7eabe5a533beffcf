// Blocks that end in their own checksum.
#pragma once

#include <cstddef>
#include <type_traits>

#include "os/crc32c.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

/// Returns the checksum of all that is before it. Stamps have checksums of their own and count as zeros.
template <class Block>
std::uint32_t checksum_of(const Block& content) noexcept {
  static_assert(std::is_trivially_copyable_v<Block> &&
                offsetof(Block, crc) + sizeof content.crc == sizeof(Block));
  if constexpr (requires { content.stamps; }) {
    Block bare = content;
    bare.stamps = {};
    return os::crc32c(0, &bare, offsetof(Block, crc));
  } else {
    return os::crc32c(0, &content, offsetof(Block, crc));
  }
}

template <class Block>
void seal_block(Block& content) noexcept {
  content.crc = checksum_of(content);
}

template <class Block>
bool is_sound(const Block& content, const layout::magic& magic) noexcept {
  return content.magic == magic && content.crc == checksum_of(content);
}

/// The checksum of a page of the segment: seeded with the page's number, so that a page in the wrong place is
/// found even if its checksum went there with it. It is never one of the reserved values.
std::uint32_t page_checksum(std::uint64_t page, const void* bytes) noexcept;

/// The same, while it copies the page.
std::uint32_t copy_page(std::uint64_t page, void* to, const void* from) noexcept;
/// The same, and `of_bytes` becomes the checksum of the bytes alone, wherever they lie.
std::uint32_t copy_page(std::uint64_t page, void* to, const void* from, std::uint32_t& of_bytes) noexcept;

}  // namespace perdure::store
