// Keeps room in a region's budget: for the thread that needs some now, and in the background before one does.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <optional>

#include "os/futex.hpp"
#include "pager/eviction.hpp"
#include "pager/page_budget.hpp"
#include "pager/region_pages.hpp"

namespace perdure::pager::detail {

/// A background thread, where the budget is less than the region or pages can only be written in turns; and
/// what other threads have to do with it.
class evictor {
 public:
  evictor(region_pages& pages, eviction& from, page_budget& budget) noexcept;
  evictor(const evictor&) = delete;
  evictor& operator=(const evictor&) = delete;

  /// Signals must be blocked: the thread runs no handlers of the program. Throws std::system_error.
  void start();
  /// To be called before it is destroyed, in the process that started it; waits for the thread to end.
  void stop() noexcept;

  /// Takes room for so many pages from the budget, and evicts others if there is too little. Fails where that
  /// cannot be had; with EAGAIN, where it would only be worth waiting for if it were for a single page.
  /// Signals must be blocked; async-signal-safe.
  std::optional<failed_transfer> make_room(std::size_t pages, scratch& own) noexcept;

  /// Has the thread write and drop everything that is not pinned. The caller must not be in a turn of the
  /// source. Throws std::system_error.
  void drain();

 private:
  static void* run(void* self) noexcept;
  void keep_room() noexcept;
  bool evict_in_turn(std::size_t wanted, scratch& own) noexcept;
  void call() noexcept;

  region_pages& pages_;
  eviction& eviction_;
  page_budget& budget_;
  const std::size_t least_free_;   // below it the thread is called; 0: there is none
  const std::size_t wanted_free_;  // above it the thread rests

  alignas(64) os::futex_word calls_{0};
  std::atomic<bool> rests_{false};
  std::atomic<bool> ends_{false};
  std::atomic<bool> drains_{false};  // all that can leave memory shall
  bool runs_ = false;
  pthread_t thread_{};
  // Where only this thread writes, others wait for the room that it makes. Where it cannot write, they take
  // more than there is, so that the program lives to be told.
  os::futex_word turns_done_{0};
  std::atomic<int> write_error_{0};  // of the thread's last turn: an errno
};

}  // namespace perdure::pager::detail
