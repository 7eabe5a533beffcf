// Texts between UTF-8, which stores have, and UTF-32, which NumPy has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace perdure::formats {

/// False where there is no such character.
bool append_utf8(std::string& out, std::uint32_t character);
/// Characters of a text; bytes that are no UTF-8 count as one each.
std::size_t utf8_length(std::string_view text);
/// Returns whether a text is UTF-8.
bool is_utf8(std::string_view text) noexcept;
/// Returns the text with U+FFFD in place of bytes that are not UTF-8.
std::string sound_utf8(std::string_view text);
/// Appends the text as little-endian UTF-32, with U+FFFD in place of bytes that are not UTF-8.
void append_utf32(std::string& out, std::string_view text);

}  // namespace perdure::formats
