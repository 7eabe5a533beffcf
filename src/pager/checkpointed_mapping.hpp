// A mapping for checkpoints: now and then a caller takes over all changes of one moment and makes them
// durable.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/signals_blocked.hpp"
#include "pager/budgeted_mapping.hpp"

namespace perdure::pager::detail {

class checkpointed_mapping final : public budgeted_mapping {
 public:
  /// All of `place` is inaccessible until it is opened.
  checkpointed_mapping(std::unique_ptr<page_source> source, const options& wanted, os::reservation place);
  ~checkpointed_mapping() override { stop_threads(); }

  using budgeted_mapping::stop_threads;

  /// Returns the bytes that may be touched now, of all that there may ever be.
  std::size_t size() const noexcept override { return pages().source.open_pages() * page_size; }

  struct held_run {
    page_number first;
    std::size_t count;
    bool is_pinned;  ///< threads may still write to it, and it stays dirty
  };

  /// Claims and write-protects all dirty pages: threads that write to them wait until `release_held`, which
  /// the same thread must call. The source must be in the caller's turn. Throws std::system_error and
  /// std::bad_alloc; then nothing is held.
  std::span<const held_run> hold_dirty();
  /// If the pages were written, they are clean now, and `is_spilled` tells in which place each is; if not,
  /// they are dirty as before.
  void release_held(bool are_written, const std::function<bool(page_number)>& is_spilled) noexcept;

  /// From now on the page is read from its place for good.
  void unspill(page_number page) noexcept { pages()[page].unspill(); }
  /// The page is read from where pages are spilled to. To be called before the first touch of it.
  void spill(page_number page) noexcept { pages()[page].spill(); }

  /// Drops pages, changed or not: what they hold from now on is of no consequence. Never waits: what is on
  /// its way in or out, or pinned, stays.
  void forget(page_number first, std::size_t count) noexcept;

  /// Takes pages out of memory, changed or not, and keeps them out until `vacate`: who touches one waits.
  /// Never waits itself: what is on its way in or out, or pinned, is left out. Calls `taken(first, count)`
  /// for the others; the source must be in the caller's turn, and what they hold from now on is of no
  /// consequence.
  template <class Visit>
  void occupy(page_number first, std::size_t count, Visit&& taken) {
    std::size_t owned = 0;
    for (std::size_t number = first; number < first + count; ++number) {
      if (take_out(static_cast<page_number>(number))) {
        ++owned;
      } else {
        if (owned != 0) taken(static_cast<page_number>(number - owned), owned);
        owned = 0;
      }
    }
    if (owned != 0) taken(static_cast<page_number>(first + count - owned), owned);
  }
  /// The pages are where pages are for good, and may be brought in again.
  void vacate(page_number first, std::size_t count) noexcept;

  /// Has the evictor write and drop everything that is not pinned; the source must not be in the caller's
  /// turn. Throws std::system_error.
  void drain() { room().drain(); }

 private:
  void hold(page_number number);
  bool take_out(page_number number) noexcept;

  std::vector<held_run> held_;
  // A signal handler that wrote to a held page would wait for ever.
  std::optional<base::signals_blocked> quiet_;
};

}  // namespace perdure::pager::detail
