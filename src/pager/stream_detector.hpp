// Finds threads that touch one page after the other.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "pager/page_states.hpp"

namespace perdure::pager::detail {

/// A thread that goes through the file page by page: a sequential stream.
struct stream {
  page_number next = 0;     ///< the page at which it is expected
  std::uint32_t count = 0;  ///< pages that were brought in last, before `next`; 0: there is none
  bool is_asked =
      false;  ///< then `count` pages from `next` on are what the background readers were asked for

  page_number end() const noexcept { return is_asked ? next + count : next; }
};

/// Remembers, for each part of the file, where the stream goes on that touched it last. If threads forget or
/// mix up streams, less is read ahead, or something for nothing, so nothing is locked. Async-signal-safe.
class stream_detector {
 public:
  /// The stream that has got to `page`; `count` is 0 if none has.
  stream find(page_number page) const noexcept {
    const std::uint64_t seen = place_of(page).load(std::memory_order_relaxed);
    const stream found{static_cast<page_number>(seen >> 32), static_cast<std::uint32_t>(seen) & ~asked_bit,
                       (seen & asked_bit) != 0};
    // A stream passes pages that are in memory without a fault, so it may turn up some pages further on. What
    // looks like a stream for the first time is often chance, so there it must be close.
    const std::uint32_t tolerance = found.is_asked ? found.count + 16 : found.count > 2 ? 16 : 3;
    if (found.count == 0 || page - found.next >= tolerance) return {};
    return found;
  }

  void expect(const stream& known) noexcept {
    for_places(known, [bits = bits_of(known)](place& one) { one.store(bits, std::memory_order_relaxed); });
  }
  /// The same for a stream that was known as `before`, and was seen at `page` just now.
  void expect(const stream& known, const stream& before, page_number page) noexcept {
    place_of(page).store(0, std::memory_order_relaxed);
    for_places(before, [bits = bits_of(before)](place& one) {
      if (one.load(std::memory_order_relaxed) == bits) one.store(0, std::memory_order_relaxed);
    });
    expect(known);
  }

 private:
  static constexpr unsigned pages_of_part_log2 = 9;
  static constexpr std::uint32_t asked_bit = 1U << 31;

  using place = std::atomic<std::uint64_t>;
  static std::uint64_t bits_of(const stream& one) noexcept {
    return std::uint64_t{one.next} << 32 | (one.is_asked ? asked_bit : 0) | one.count;
  }
  /// Calls `visit` for each place where the stream may be met: at any page that was asked for, or behind
  /// them.
  template <class Visit>
  void for_places(const stream& one, Visit&& visit) noexcept {
    for (page_number page = one.next; page < one.end(); page += 1U << pages_of_part_log2)
      visit(place_of(page));
    visit(place_of(one.end()));
  }
  place& place_of(page_number page) noexcept {
    return places_[(page >> pages_of_part_log2) % places_.size()];
  }
  const place& place_of(page_number page) const noexcept {
    return places_[(page >> pages_of_part_log2) % places_.size()];
  }

  std::array<place, 256> places_{};
};

}  // namespace perdure::pager::detail
