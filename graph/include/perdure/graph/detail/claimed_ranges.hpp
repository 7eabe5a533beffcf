// Ranges of numbers that threads take from a whole, one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

namespace perdure::graph::detail {

/// The numbers `[0, end)`, of which each is taken once. Thread-safe.
class claimed_ranges {
 public:
  struct range {
    std::uint64_t first;
    std::uint64_t last;  // one behind the last number
  };

  claimed_ranges(std::uint64_t end, std::uint64_t at_once) noexcept : end_(end), at_once_(at_once) {}

  /// Takes the next range; nothing at the end, however often exhausted threads ask again.
  std::optional<range> take() noexcept {
    std::uint64_t first = taken_.load(std::memory_order_relaxed);
    std::uint64_t last;
    do {
      if (first >= end_) return std::nullopt;
      last = first + std::min(at_once_, end_ - first);
    } while (!taken_.compare_exchange_weak(first, last, std::memory_order_relaxed));
    return range{first, last};
  }

  std::uint64_t taken() const noexcept { return taken_.load(std::memory_order_relaxed); }
  std::uint64_t end() const noexcept { return end_; }

 private:
  std::uint64_t end_;
  std::uint64_t at_once_;
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace perdure::graph::detail
