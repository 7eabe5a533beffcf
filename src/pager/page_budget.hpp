// How many pages of a region are in memory, and how many may be.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

namespace perdure::pager::detail {

/// All functions are async-signal-safe.
class page_budget {
 public:
  explicit page_budget(std::size_t pages) noexcept : most_(pages) {}

  /// Pages that may be in memory.
  std::size_t most() const noexcept { return most_; }
  /// Pages that are in memory, or promised to a thread that brings them in.
  std::size_t used() const noexcept { return used_.load(); }
  /// The most that ever were, but for `take_regardless`.
  std::size_t most_used() const noexcept { return most_used_.load(); }
  std::size_t free() const noexcept {
    const std::size_t used = used_.load();
    return used < most_ ? most_ - used : 0;
  }

  /// How many are still free then; nothing, and nothing is taken, if there are not so many.
  std::optional<std::size_t> take(std::size_t pages) noexcept {
    std::size_t seen = used_.load(std::memory_order_relaxed);
    while (seen + pages <= most_) {
      if (!used_.compare_exchange_weak(seen, seen + pages)) continue;
      const std::size_t now = seen + pages;
      std::size_t most = most_used_.load(std::memory_order_relaxed);
      while (now > most && !most_used_.compare_exchange_weak(most, now)) {
      }
      return most_ - now;
    }
    return std::nullopt;
  }
  /// Where waiting for pages that cannot be written would never end.
  void take_regardless(std::size_t pages) noexcept { used_.fetch_add(pages); }
  void give_back(std::size_t pages) noexcept { used_.fetch_sub(pages); }

 private:
  const std::size_t most_;
  // Every thread that faults changes these.
  alignas(64) std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> most_used_{0};
};

}  // namespace perdure::pager::detail
