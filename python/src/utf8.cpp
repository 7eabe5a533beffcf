// Checks that bytes are UTF-8.
#include "utf8.hpp"

#include <cstdint>
#include <cstring>

namespace perdure::python {

namespace {

/// Returns the bytes of the character that begins at `at`; 0 if there is none.
std::size_t character_at(const unsigned char* at, std::size_t left) noexcept {
  const unsigned char first = at[0];
  if (first < 0x80) return 1;
  // The second byte is what excludes other spellings of a character, surrogates, and what is beyond Unicode.
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  std::size_t length = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (left < length || at[1] < low || at[1] > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((at[i] & 0xC0) != 0x80) return 0;
  return length;
}

}  // namespace

std::size_t utf8_end(std::span<const std::byte> bytes) noexcept {
  constexpr std::uint64_t not_ascii = 0x8080808080808080;
  const auto* const all = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t at = 0;
  while (at < bytes.size()) {
    while (bytes.size() - at >= 32) {
      std::uint64_t words[4];
      std::memcpy(words, all + at, sizeof words);
      if (((words[0] | words[1] | words[2] | words[3]) & not_ascii) != 0) break;
      at += sizeof words;
    }
    // Up to the end of the next 32 bytes, one by one.
    const std::size_t stop = at + 32 < bytes.size() ? at + 32 : bytes.size();
    while (at < stop) {
      const std::size_t length = character_at(all + at, bytes.size() - at);
      if (length == 0) return at;
      at += length;
    }
  }
  return bytes.size();
}

}  // namespace perdure::python
