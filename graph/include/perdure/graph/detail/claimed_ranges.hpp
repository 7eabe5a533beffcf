// Ranges of numbers that threads take from a whole, one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <perdure/graph/detail/portion.hpp>
#include <perdure/graph/edge_source.hpp>

namespace perdure::graph::detail {

/// Numbers of which each is taken once. Thread-safe.
class claimed_ranges {
 public:
  struct range {
    std::uint64_t first;
    std::uint64_t last;  // one behind the last number
  };

  /// A share of the numbers `[0, count)`.
  claimed_ranges(std::uint64_t count, const source_share& share, std::uint64_t at_once) noexcept
      : begin_(portion(count, share.part, share.parts)),
        end_(portion(count, share.part + 1, share.parts)),
        at_once_(at_once),
        taken_(begin_) {}

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

  /// How many are taken, and how many there are.
  std::uint64_t taken() const noexcept { return taken_.load(std::memory_order_relaxed) - begin_; }
  std::uint64_t all() const noexcept { return end_ - begin_; }

 private:
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t at_once_;
  std::atomic<std::uint64_t> taken_;
};

}  // namespace perdure::graph::detail
