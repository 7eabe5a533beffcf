// How many bytes of blocks a heap may still hand out.
//
// A heap whose segment has a limit counts the blocks that have left its bins, cached ones included, and its
// large blocks. Other heaps count nothing here: their segment refuses to grow. Caches of threads are kept
// small beside the limit, since what one thread has cached is out of reach for the others.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

namespace perdure::detail {

/// A block was refused for want of allowance. By the time it is caught there may be enough again.
class allowance_used_up final : public std::bad_alloc {};

/// Thread-safe.
class block_allowance {
 public:
  /// `limit`: bytes of blocks that there may be. `used`: bytes of those that there are, which may be more.
  block_allowance(std::uint64_t limit, std::uint64_t capacity, std::uint64_t used) noexcept
      : is_limited_(limit < capacity),
        most_cached_(is_limited_ ? limit / share_of_a_cache : std::numeric_limits<std::size_t>::max()),
        left_(static_cast<std::int64_t>(limit) - static_cast<std::int64_t>(std::min(used, most_used))) {}

  /// Takes `bytes`, or nothing: false if there are not so many left.
  bool take(std::uint64_t bytes) noexcept { return take_blocks(bytes, 1) == 1; }
  /// Takes up to `wanted` times `bytes`. Returns how many times.
  std::uint32_t take_blocks(std::uint64_t bytes, std::uint32_t wanted) noexcept {
    if (!is_limited_) return wanted;
    std::int64_t left = left_.load(std::memory_order_relaxed);
    for (;;) {
      if (left <= 0) return 0;
      const auto fit = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(wanted, static_cast<std::uint64_t>(left) / bytes));
      if (fit == 0) return 0;
      if (left_.compare_exchange_weak(left, left - static_cast<std::int64_t>(fit * bytes),
                                      std::memory_order_relaxed))
        return fit;
    }
  }
  void give_back(std::uint64_t bytes) noexcept {
    if (is_limited_) left_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }

  /// The most bytes of one size class, or of a large block, that a thread may cache.
  std::size_t most_cached() const noexcept { return most_cached_; }

 private:
  static constexpr std::uint64_t share_of_a_cache = 1024;
  // Counters of a damaged heap may say anything.
  static constexpr std::uint64_t most_used = std::uint64_t{1} << 62;

  const bool is_limited_;
  const std::size_t most_cached_;
  std::atomic<std::int64_t> left_;
};

}  // namespace perdure::detail
