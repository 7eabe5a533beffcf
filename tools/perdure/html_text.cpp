#include "html_text.hpp"

#include <cstddef>
#include <cstdint>

namespace perdure::cli {
namespace {

/// A character at the start of a text. No bytes: the text does not begin with UTF-8.
struct decoded {
  std::uint32_t character = 0;
  std::size_t bytes = 0;
};

decoded first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t character = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    character = character << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = character >= 0xd800 && character < 0xe000;
  if (character < least[bytes] || is_surrogate || character > 0x10ffff) return {};
  return {character, bytes};
}

bool is_shown(std::uint32_t c) noexcept {
  const bool is_control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool is_direction = (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
                            (c >= 0x2066 && c <= 0x2069) || c == 0x061c;
  return !is_control && !is_direction && (c & 0xfffe) != 0xfffe;
}

}  // namespace

std::string html_text(std::string_view text, std::size_t most_bytes) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const decoded next = first_character(text.substr(at));
    if (at + next.bytes > most_bytes) return out + "…";
    if (next.bytes == 0 || !is_shown(next.character))
      out += "\xef\xbf\xbd";
    else if (next.character == '<')
      out += "&lt;";
    else if (next.character == '>')
      out += "&gt;";
    else if (next.character == '&')
      out += "&amp;";
    else if (next.character == '"')
      out += "&quot;";
    else if (next.character == '\'')
      out += "&#39;";
    else
      out += text.substr(at, next.bytes);
    at += next.bytes == 0 ? 1 : next.bytes;
  }
  return out;
}

}  // namespace perdure::cli
