// MurmurHash2 for 64-bit machines, by the name that programs for Metall use. It is in the public domain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace metall::mtlldetail {

/// The same for the same bytes in every run, on machines of one byte order. The bytes need no alignment.
inline std::uint64_t MurmurHash64A(const void* key, const int len, const std::uint64_t seed) noexcept {
  constexpr std::uint64_t factor = 0xc6a4a7935bd1e995U;
  constexpr int shift = 47;
  const auto length = static_cast<std::size_t>(len);
  const auto* bytes = static_cast<const unsigned char*>(key);
  std::uint64_t hash = seed ^ (length * factor);

  std::size_t left = length;
  for (; left >= sizeof(std::uint64_t); left -= sizeof(std::uint64_t), bytes += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    word *= factor;
    word ^= word >> shift;
    hash = (hash ^ (word * factor)) * factor;
  }
  if (left != 0) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < left; ++i) word |= std::uint64_t{bytes[i]} << (8 * i);
    hash = (hash ^ word) * factor;
  }
  hash = (hash ^ (hash >> shift)) * factor;
  return hash ^ (hash >> shift);
}

}  // namespace metall::mtlldetail
