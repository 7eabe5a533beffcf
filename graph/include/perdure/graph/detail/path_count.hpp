// Numbers of shortest paths, which may be larger than any floating point number.
#pragma once

#include <cmath>
#include <cstdint>

namespace perdure::graph::detail {

/// A number from 0 on with 53 bits, and an exponent of 32: mantissa * 2^exponent, the mantissa below 2 and at
/// least 1, or 0.
class path_count {
 public:
  path_count() = default;
  explicit path_count(double value) noexcept : mantissa_(value) { normalize(); }

  path_count& operator+=(const path_count& other) noexcept {
    if (other.mantissa_ == 0) return *this;
    if (mantissa_ == 0) return *this = other;
    // A count that is smaller by more than 53 bits changes nothing; ldexp takes its exponent as an int.
    if (exponent_ >= other.exponent_) {
      mantissa_ += std::ldexp(other.mantissa_, other.exponent_ - exponent_);
    } else {
      mantissa_ = other.mantissa_ + std::ldexp(mantissa_, exponent_ - other.exponent_);
      exponent_ = other.exponent_;
    }
    normalize();
    return *this;
  }
  /// Their ratio as a number; 0 where it is smaller than any, infinity where it is larger.
  friend double operator/(const path_count& a, const path_count& b) noexcept {
    return std::ldexp(a.mantissa_ / b.mantissa_, a.exponent_ - b.exponent_);
  }

 private:
  void normalize() noexcept {
    if (mantissa_ == 0) return;
    const int shift = std::ilogb(mantissa_);
    mantissa_ = std::ldexp(mantissa_, -shift);
    exponent_ += shift;
  }

  double mantissa_ = 0;
  std::int32_t exponent_ = 0;
};

}  // namespace perdure::graph::detail
