// Sums of real numbers that do not depend on the order of adding.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

namespace perdure::graph::detail {

/// A sum of numbers that are 0 or more, as whole numbers of a fixed unit: at most 4, of up to 2^40 numbers,
/// each cut off at 2^-86. Threads may add at once.
class fixed_point_sum {
 public:
  void add(double number) noexcept {
    const double units = number * 0x1p62;
    const auto whole = static_cast<std::uint64_t>(units);
    high_ += whole;
    low_ += static_cast<std::uint64_t>((units - static_cast<double>(whole)) * 0x1p24);
  }
  /// Adds what another thread has added up.
  void add(const fixed_point_sum& part) noexcept {
    std::atomic_ref(high_).fetch_add(part.high_, std::memory_order_relaxed);
    std::atomic_ref(low_).fetch_add(part.low_, std::memory_order_relaxed);
  }
  double value() const noexcept {
    return static_cast<double>(high_ + (low_ >> 24)) * 0x1p-62 +
           static_cast<double>(low_ & 0xFFFFFF) * 0x1p-86;
  }

  /// The whole numbers, to be added up over all ranks.
  std::array<std::uint64_t, 2> words() const noexcept { return {high_, low_}; }
  static fixed_point_sum of_words(std::span<const std::uint64_t, 2> words) noexcept {
    fixed_point_sum sum;
    sum.high_ = words[0];
    sum.low_ = words[1];
    return sum;
  }

 private:
  std::uint64_t high_ = 0;  // times 2^-62
  std::uint64_t low_ = 0;   // times 2^-86
};

}  // namespace perdure::graph::detail
