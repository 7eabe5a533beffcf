// The state of each page of a region: one word, changed by compare-and-swap.
//
//          claim               settle                claim             settle
//   absent ------> loading ------------> clean ----------------> evicting -----> absent
//                     |                  |   ^                      ^
//                     | (a write)        |   | written to disk      | written, no thread waits
//                     v   (a first write)v   |                      |
//                  dirtying <------------+   |                      |
//                     |                      |                      |
//                     +------> dirty ------> writing ---------------+
//
// A thread that changes a state to loading, dirtying, evicting or writing owns the page until it settles it;
// no other thread changes the state of an owned page. docs/explanation/pager.md says what holds in each
// state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/invariant.hpp"
#include "base/page_size.hpp"
#include "os/futex.hpp"

namespace perdure::pager::detail {

using page_number = std::uint32_t;

struct page_span {
  page_number first = 0;
  std::size_t count = 0;
};

enum class page_state : std::uint32_t {
  absent = 0,    ///< not in memory
  loading = 1,   ///< owned: on its way in, and protected until it is settled
  clean = 2,     ///< in memory, write-protected, as it is on disk
  dirty = 3,     ///< in memory, writable
  evicting = 4,  ///< owned: as it is on disk, about to leave memory
  writing = 5,   ///< owned: in memory, being written to disk; write-protected unless pinned
  dirtying = 6,  ///< owned: about to be dirty; threads may be able to write to it already
};

/// Returns whether only the thread that brought a page into this state may change it.
constexpr bool is_owned(page_state state) noexcept {
  return state == page_state::loading || state == page_state::evicting || state == page_state::writing ||
         state == page_state::dirtying;
}

/// A snapshot of a page's word.
class page_word {
 public:
  // Zero bits are an absent page that was never touched, so tables need no initialising.
  static constexpr std::uint32_t state_bits = 7;
  static constexpr std::uint32_t waiters_bit = 1U << 3;
  static constexpr std::uint32_t spilled_bit = 1U << 4;
  static constexpr std::uint32_t hot_bit = 1U << 5;
  static constexpr std::uint32_t queued_bit = 1U << 6;
  static constexpr std::uint32_t read_bit = 1U << 7;
  static constexpr std::uint32_t history_bits = 0xffU << 8;
  static constexpr std::uint32_t one_pin = 1U << 16;
  static constexpr std::uint32_t most_pins = 0xffff;

  constexpr page_word(std::uint32_t bits) noexcept : bits_(bits) {}

  constexpr std::uint32_t bits() const noexcept { return bits_; }
  constexpr page_state state() const noexcept { return static_cast<page_state>(bits_ & state_bits); }
  constexpr bool has_waiters() const noexcept { return (bits_ & waiters_bit) != 0; }
  /// Its bytes on disk are those in the spill file.
  constexpr bool is_spilled() const noexcept { return (bits_ & spilled_bit) != 0; }
  /// It belongs to the queue of pages that came back soon.
  constexpr bool is_hot() const noexcept { return (bits_ & hot_bit) != 0; }
  /// It is in a queue, or a thread has just taken it out of one. Absent pages that were evicted out of turn
  /// may be in one.
  constexpr bool is_queued() const noexcept { return (bits_ & queued_bit) != 0; }
  /// It came in to be read, and no thread has written to it so far.
  constexpr bool is_only_read() const noexcept { return (bits_ & read_bit) != 0; }
  /// Returns, for an absent page, when it left memory; for a page in memory, how often it may be passed over.
  /// See refault_clock.hpp.
  constexpr std::uint32_t history() const noexcept { return (bits_ & history_bits) >> 8; }
  /// Returns whether a page in memory is touched often, and will be passed over when its turn to leave comes.
  constexpr bool has_chance() const noexcept { return is_hot() && history() != 0; }
  static constexpr std::uint32_t as_history(std::uint32_t value) noexcept {
    return (value << 8) & history_bits;
  }
  constexpr std::uint32_t pins() const noexcept { return bits_ >> 16; }

  constexpr page_word with(page_state state) const noexcept {
    return (bits_ & ~state_bits) | static_cast<std::uint32_t>(state);
  }

 private:
  std::uint32_t bits_;
};

/// Bits of a page's word that change together with its state when it is settled.
struct settling {
  std::uint32_t clear = 0;
  std::uint32_t set = 0;
};

/// One page's word. All functions are async-signal-safe.
class page {
 public:
  page_word read() const noexcept { return word_.load(std::memory_order_acquire); }

  /// Takes ownership of the page, if its word is still as it was seen. False if not.
  bool claim(page_word seen, page_state owned) noexcept {
    PERDURE_DEBUG_INVARIANT(!is_owned(seen.state()) && is_owned(owned));
    std::uint32_t expected = seen.bits();
    return word_.compare_exchange_strong(expected, seen.with(owned).bits(), std::memory_order_acq_rel);
  }

  /// Ends the ownership, and wakes the threads that wait for that. Returns the word as it was before.
  page_word settle(page_state state, settling change = {}) noexcept;

  /// Goes from one owned state to another. Threads that wait for the page go on waiting.
  void go_on(page_state from, page_state to) noexcept {
    PERDURE_DEBUG_INVARIANT(is_owned(from) && is_owned(to) && read().state() == from);
    word_.fetch_xor(static_cast<std::uint32_t>(from) ^ static_cast<std::uint32_t>(to),
                    std::memory_order_acq_rel);
  }

  /// Goes from one owned state to another, if no thread waits for the page.
  bool go_on_unless_awaited(page_state owned, std::uint32_t set) noexcept;

  /// Replaces the history of a page that no thread owns. False if its word has changed since it was seen.
  bool rewrite_history(page_word seen, std::uint32_t history) noexcept {
    std::uint32_t expected = seen.bits();
    const std::uint32_t next = (expected & ~page_word::history_bits) | page_word::as_history(history);
    return word_.compare_exchange_strong(expected, next, std::memory_order_acq_rel);
  }

  /// From now on its bytes on disk are those in the spill file. To be called before another thread knows the
  /// page.
  void spill() noexcept { word_.fetch_or(page_word::spilled_bit, std::memory_order_relaxed); }
  /// From now on its bytes on disk are those in the page's place for good. Also for pages that another thread
  /// owns, which must allow for that.
  void unspill() noexcept { word_.fetch_and(~page_word::spilled_bit, std::memory_order_acq_rel); }

  /// Notes that an absent page is in no queue any more. False if its word has changed since it was seen.
  bool unqueue(page_word seen) noexcept {
    std::uint32_t expected = seen.bits();
    return word_.compare_exchange_strong(expected, seen.bits() & ~page_word::queued_bit,
                                         std::memory_order_acq_rel);
  }

  /// Sleeps while the page, which was seen owned, is as it was seen.
  void wait(page_word seen) noexcept;

  /// Adds a pin to a page that is in memory and that no thread owns. False if its word has changed since it
  /// was seen.
  bool add_pin(page_word seen) noexcept {
    std::uint32_t expected = seen.bits();
    return word_.compare_exchange_strong(expected, seen.bits() + page_word::one_pin,
                                         std::memory_order_acq_rel);
  }
  /// True if it was the last pin.
  bool remove_pin() noexcept {
    return page_word(word_.fetch_sub(page_word::one_pin, std::memory_order_acq_rel)).pins() == 1;
  }

 private:
  os::futex_word word_{0};
};
static_assert(sizeof(page) == 4);

}  // namespace perdure::pager::detail
