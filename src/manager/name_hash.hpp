// The hash of object and type names. It is part of the on-disk format: the same on every machine, for ever.
#pragma once

#include <cstdint>
#include <string_view>

namespace perdure::detail {

/// The high half of the 128-bit product, folded onto the low half: one multiplication mixes all bits.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(a) * b;
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

/// Names are short: eight bytes a step, no set-up.
std::uint64_t name_hash(std::string_view bytes, std::uint64_t seed) noexcept;

}  // namespace perdure::detail
