// The hash of object and type names.
#include "manager/name_hash.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

namespace perdure::detail {

namespace {

// Odd, with about half of the bits set: the first 64-bit words of the fractions of the square roots of 11,
// 13 and 17.
constexpr std::uint64_t length_mix = 0x510e527fade682d1;
constexpr std::uint64_t word_mix = 0x9b05688c2b3e6c1f;
constexpr std::uint64_t final_mix = 0x1f83d9abfb41bd6b;

std::uint64_t load_little_endian(const char* from, std::size_t bytes) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, bytes);
    return word;
  } else {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      word |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
    return word;
  }
}

}  // namespace

std::uint64_t name_hash(std::string_view bytes, std::uint64_t seed) noexcept {
  // The length goes in first, so that a name and the same name with zeros behind it have different hashes.
  std::uint64_t hash = fold(seed ^ final_mix, bytes.size() ^ length_mix);
  const char* next = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, next += 8)
    hash = fold(hash ^ load_little_endian(next, 8), word_mix) + word_mix;
  if (left != 0) hash = fold(hash ^ load_little_endian(next, left), word_mix) + word_mix;
  return fold(hash ^ length_mix, final_mix);
}

}  // namespace perdure::detail
