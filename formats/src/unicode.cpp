// Texts between UTF-8 and UTF-32.
#include "unicode.hpp"

namespace perdure::formats {

namespace {

constexpr std::uint32_t replacement = 0xfffd;

bool is_character(std::uint32_t code) noexcept {
  return code < 0xd800 || (code > 0xdfff && code < 0x110000);
}

/// The first character, which is taken from the text.
std::uint32_t take_character(std::string_view& text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  std::size_t length = first < 0x80                    ? 1
                       : first >= 0xf0 && first < 0xf5 ? 4
                       : first >= 0xe0 && first < 0xf0 ? 3
                       : first >= 0xc2 && first < 0xe0 ? 2
                                                       : 0;
  if (length == 0 || length > text.size()) {
    text.remove_prefix(1);
    return replacement;
  }
  constexpr unsigned masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t code = first & masks[length];
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) {
      text.remove_prefix(1);
      return replacement;
    }
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || !is_character(code)) {
    text.remove_prefix(1);
    return replacement;
  }
  text.remove_prefix(length);
  return code;
}

}  // namespace

bool append_utf8(std::string& out, std::uint32_t character) {
  if (!is_character(character)) return false;
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (character < 0x80) {
    add(character);
  } else if (character < 0x800) {
    add(0xc0 | character >> 6);
    add(0x80 | (character & 0x3f));
  } else if (character < 0x10000) {
    add(0xe0 | character >> 12);
    add(0x80 | (character >> 6 & 0x3f));
    add(0x80 | (character & 0x3f));
  } else {
    add(0xf0 | character >> 18);
    add(0x80 | (character >> 12 & 0x3f));
    add(0x80 | (character >> 6 & 0x3f));
    add(0x80 | (character & 0x3f));
  }
  return true;
}

std::size_t utf8_length(std::string_view text) {
  std::size_t length = 0;
  for (; !text.empty(); ++length) take_character(text);
  return length;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::string_view before = text;
    // The character itself is three bytes long.
    if (take_character(text) == replacement && before.size() - text.size() != 3) return false;
  }
  return true;
}

std::string sound_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) append_utf8(out, take_character(text));
  return out;
}

void append_utf32(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::uint32_t code = take_character(text);
    for (unsigned i = 0; i < 4; ++i) out += static_cast<char>(code >> (8 * i));
  }
}

}  // namespace perdure::formats
