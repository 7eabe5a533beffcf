// Hashes that are the same in every run, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/hash.hpp>
#include <string_view>
#include <type_traits>

namespace metall::utility {

namespace detail {
/// The bytes that make up a value, as text.
template <typename T>
std::string_view bytes_of(const T& value) noexcept {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
inline std::size_t seeded(const std::string_view bytes, const std::uint64_t seed) noexcept {
  // The seed is mixed in behind, and the sum hashed again, so that equal low bits do not stay equal.
  return perdure::hash<std::uint64_t>{}(perdure::hash<std::string_view>{}(bytes) +
                                        0x9e3779b97f4a7c15U * seed);
}
}  // namespace detail

/// A hash of a value's bytes, so of types without padding. `T` is the type of the key, or void for any.
template <typename T = void, unsigned seed = 123>
struct hash {
  std::size_t operator()(const T& key) const noexcept { return detail::seeded(detail::bytes_of(key), seed); }
};
template <unsigned seed>
struct hash<void, seed> {
  template <typename T>
  std::size_t operator()(const T& key) const noexcept {
    return detail::seeded(detail::bytes_of(key), seed);
  }
};

/// A hash of a string's characters; also for looking up a key without making a string of it.
template <typename String = void, unsigned seed = 123>
struct string_hash {
  using is_transparent = void;

  template <typename T>
  std::size_t operator()(const T& text) const noexcept {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      return detail::seeded(std::string_view(text), seed);
    } else {
      return detail::seeded({reinterpret_cast<const char*>(text.data()), text.size() * sizeof(*text.data())},
                            seed);
    }
  }
};
template <typename String = void, unsigned seed = 123>
using str_hash = string_hash<String, seed>;

}  // namespace metall::utility
