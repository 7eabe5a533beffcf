// Checks that bytes are UTF-8.
#pragma once

#include <cstddef>
#include <span>

namespace perdure::python {

/// Returns the place of the first byte that is not part of a character in UTF-8, or the number of bytes.
std::size_t utf8_end(std::span<const std::byte> bytes) noexcept;

/// Returns whether a byte is not the first one of a character.
inline bool continues_character(std::byte one) noexcept {
  return (one & std::byte{0xC0}) == std::byte{0x80};
}

}  // namespace perdure::python
