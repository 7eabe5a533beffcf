// The queue from threads that go from page to page to the threads that read ahead of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>

#include "os/futex.hpp"
#include "pager/page_states.hpp"

namespace perdure::pager::detail {

/// First in, first out. All functions need signals blocked, and are async-signal-safe.
class pending_reads {
 public:
  /// False if the queue is full.
  bool post(page_span wanted) noexcept {
    {
      const std::scoped_lock lock(lock_);
      if (posted_ - taken_ == spans_.size()) return false;
      spans_[posted_++ % spans_.size()] = wanted;
    }
    changes_.fetch_add(1);
    if (sleepers_.load() != 0) os::wake(changes_, 1);
    return true;
  }

  /// Waits for the next span, and takes it, or the first so many of its pages. After `end` it returns an
  /// empty span.
  page_span take(std::size_t most) noexcept {
    for (;;) {
      const std::uint32_t seen = changes_.load();
      page_span taken;
      bool is_more = false;
      {
        const std::scoped_lock lock(lock_);
        if (is_over_) return {};
        if (posted_ != taken_) {
          page_span& front = spans_[taken_ % spans_.size()];
          taken = {front.first, std::min(front.count, most)};
          front = {static_cast<page_number>(front.first + taken.count), front.count - taken.count};
          if (front.count == 0) ++taken_;
          is_more = posted_ != taken_;
        }
      }
      if (taken.count != 0) {
        if (is_more && sleepers_.load() != 0) os::wake(changes_, 1);
        return taken;
      }
      sleepers_.fetch_add(1);
      os::wait_while(changes_, seen);
      sleepers_.fetch_sub(1);
    }
  }

  void end() noexcept {
    {
      const std::scoped_lock lock(lock_);
      is_over_ = true;
    }
    changes_.fetch_add(1);
    os::wake(changes_);
  }

 private:
  os::signal_safe_lock lock_;
  std::array<page_span, 16> spans_{};
  std::size_t posted_ = 0;
  std::size_t taken_ = 0;
  bool is_over_ = false;
  os::futex_word changes_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace perdure::pager::detail
