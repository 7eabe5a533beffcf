// The interface of a backing to a checkpoint: its memory, and what it knows of pages that have left memory.
#pragma once

#include <span>

#include "segment/file_extent.hpp"
#include "segment/segment.hpp"
#include "store/commit/changed_pages.hpp"
#include "store/commit/early_pages.hpp"
#include "store/commit/evicted_pages.hpp"

namespace perdure::store {

/// A checkpoint calls `hold`, `collect`, `copied`, if the memory waits until its pages are home `settle`, and
/// `let_go`, in this order; a checkpoint that fails calls `let_go` next. Not thread-safe: the commit calls in
/// its turn.
class epoch_memory {
 public:
  epoch_memory() = default;
  epoch_memory(const epoch_memory&) = delete;
  epoch_memory& operator=(const epoch_memory&) = delete;
  virtual ~epoch_memory() = default;

  virtual detail::segment& pages() noexcept = 0;

  /// From here on threads that write wait, if what they write between `collect` and `let_go` would be lost.
  virtual void hold() {}
  /// Adds the pages that were written to since they were last copied. Their content stays as it is until
  /// `copied`, for the caller to copy.
  virtual void collect(changed_pages& changed, early_pages& early) = 0;
  /// The content of these pages is of no consequence any more, at home neither.
  virtual void release(std::span<const detail::page_run> pages) = 0;
  /// These are holes at home now: no memory may be mapped from there.
  virtual void punched(std::span<const detail::page_run>) {}
  /// All collected pages are copied: pages that are written to from here on belong to the next checkpoint.
  virtual void copied() noexcept {}
  /// Returns whether the program waits until the pages are home.
  virtual bool waits_for_home() const noexcept { return false; }
  /// These pages, in any order and some perhaps twice, and all others that were not collected, are home.
  virtual void settle(std::span<const detail::file_extent> home, std::span<const detail::page_run> pages);
  /// Ends what `hold` and `collect` began. Pages that were collected and not copied count as changed as
  /// before.
  virtual void let_go() noexcept {}
  /// Returns whether `collect` reports a page again that was collected and is not durable. If not, the caller
  /// must remember it.
  virtual bool recollects() const noexcept { return false; }

  /// Changed pages that have left it before their checkpoint. Always the same object.
  virtual evicted_pages& evicted() noexcept = 0;
  /// Throws `io` when a page that had left did not come back as it was.
  virtual void require_none_lost() const {}
};

inline void epoch_memory::settle(std::span<const detail::file_extent>, std::span<const detail::page_run>) {}

}  // namespace perdure::store
