// Numbers of 16 bits, to be stored: C++20 has no type for them.
#pragma once

#include <bit>
#include <cstdint>

namespace perdure {

namespace detail {

/// IEEE 754 binary16, rounded to nearest, ties to even.
constexpr std::uint16_t to_half(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));
  // From 65520 on all round to infinity.
  if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);
  // Below the least half of that rounds to zero.
  if (magnitude < 0x33000000) return sign;
  std::uint32_t mantissa = magnitude;
  std::uint32_t dropped = 13;
  if (magnitude >= 0x38800000) {
    mantissa -= 0x38000000;
  } else {  // becomes subnormal
    dropped = 126 - (magnitude >> 23);
    mantissa = (magnitude & 0x7fffff) | 0x800000;
  }
  const std::uint32_t half_way = std::uint32_t{1} << (dropped - 1);
  const std::uint32_t rest = mantissa & ((half_way << 1) - 1);
  std::uint32_t result = mantissa >> dropped;
  if (rest > half_way || (rest == half_way && (result & 1) != 0)) ++result;
  return static_cast<std::uint16_t>(sign | result);
}

constexpr float from_half(std::uint16_t bits) noexcept {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1f;
  const std::uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float small = static_cast<float>(mantissa) * 0x1p-24f;
  return (bits & 0x8000) != 0 ? -small : small;
}

/// The upper half of a float, rounded to nearest, ties to even.
constexpr std::uint16_t to_brain(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

}  // namespace detail

/// IEEE 754 binary16, for storing: arithmetic is done in `float`.
struct float16 {
  /// Sign, 5 bits of exponent and 10 of mantissa.
  std::uint16_t bits = 0;
  float16() = default;
  /// Rounds to nearest, ties to even. Numbers from 65520 on become infinite.
  constexpr float16(float value) noexcept
      : bits(detail::to_half(value)) {}  // NOLINT(google-explicit-constructor)
  /// Returns the number as a `float`, exactly.
  constexpr operator float() const noexcept {
    return detail::from_half(bits);
  }  // NOLINT(google-explicit-constructor)
};

/// The upper half of a `float`, as machine learning uses it, for storing.
struct bfloat16 {
  /// Sign, 8 bits of exponent and 7 of mantissa.
  std::uint16_t bits = 0;
  bfloat16() = default;
  /// Rounds to nearest, ties to even.
  constexpr bfloat16(float value) noexcept
      : bits(detail::to_brain(value)) {}  // NOLINT(google-explicit-constructor)
  /// Returns the number as a `float`, exactly.
  constexpr operator float() const noexcept {  // NOLINT(google-explicit-constructor)
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
  }
};

}  // namespace perdure
