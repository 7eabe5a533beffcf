// What a backing offers a checkpoint: its memory, and the places of pages that have left memory.
#pragma once

#include <span>

#include "segment/file_extent.hpp"
#include "segment/segment.hpp"
#include "store/commit/changed_pages.hpp"
#include "store/commit/early_pages.hpp"
#include "store/commit/journaled_pages.hpp"
#include "store/file/journal.hpp"

namespace perdure {

/// A checkpoint calls `hold`, `collect`, `copied`, if the memory waits until its pages are home `settle`, and
/// `let_go`, in this order; a checkpoint that fails calls `let_go` next. Not thread-safe: the commit calls in
/// its turn.
class epoch_memory {
 public:
  epoch_memory() = default;
  epoch_memory(const epoch_memory&) = delete;
  epoch_memory& operator=(const epoch_memory&) = delete;
  virtual ~epoch_memory() = default;

  virtual segment& pages() noexcept = 0;

  /// From here on threads that write wait, if what they write between `collect` and `let_go` would be lost.
  virtual void hold() {}
  /// Adds the pages that were written to since they were last copied. Their content stays as it is until
  /// `copied`, for the caller to copy.
  virtual void collect(changed_pages& changed, early_pages& early) = 0;
  /// The content of these pages is of no consequence any more, at home neither.
  virtual void release(std::span<const page_run> pages) = 0;
  /// All collected pages are copied: pages that are written to from here on belong to the next checkpoint.
  virtual void copied() noexcept {}
  /// Whether the program waits until the pages are home.
  virtual bool waits_for_home() const noexcept { return false; }
  /// These pages, and all others that were not collected, are home.
  virtual void settle(std::span<const file_extent> home, std::span<const page_run> pages);
  /// Ends what `hold` and `collect` began. Pages that were collected and not copied count as changed as
  /// before.
  virtual void let_go() noexcept {}
  /// Whether `collect` reports a page again that was collected and is not durable. If not, the caller must
  /// remember it.
  virtual bool recollects() const noexcept { return false; }

  // For memory whose changed pages may leave it at any time:

  /// Which of the pages that have left are in a journal. Null if none leave before they are home.
  virtual journaled_pages* journaled() noexcept { return nullptr; }
  /// Home has become longer.
  virtual void home_extended() {}
  /// Another file has taken the place of the journal.
  virtual void journal_replaced(unsigned, const journal&) {}
  /// The pages in the last epoch's journal are home, and that journal will be written over.
  virtual void journal_applied() noexcept {}
  /// Throws `io` when a page that had left did not come back as it was.
  virtual void require_none_lost() const {}
};

inline void epoch_memory::settle(std::span<const file_extent>, std::span<const page_run>) {}

}  // namespace perdure
