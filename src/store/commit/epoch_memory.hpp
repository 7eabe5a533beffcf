// What a backing offers a checkpoint: its memory, and where pages are that have left it.
#pragma once

#include <span>

#include "segment/file_extent.hpp"
#include "segment/segment.hpp"
#include "store/commit/changed_pages.hpp"
#include "store/commit/early_pages.hpp"
#include "store/commit/journaled_pages.hpp"
#include "store/file/journal.hpp"

namespace perdure {

/// A checkpoint calls `hold`, `collect`, `copied`, where the memory waits for its home `settle`, and
/// `let_go`, in this order; one that fails calls `let_go` next. Not thread-safe: the commit calls in its
/// turn.
class epoch_memory {
 public:
  epoch_memory() = default;
  epoch_memory(const epoch_memory&) = delete;
  epoch_memory& operator=(const epoch_memory&) = delete;
  virtual ~epoch_memory() = default;

  virtual segment& pages() noexcept = 0;

  /// Where what a thread stores between `collect` and `let_go` would be lost, threads that store wait from
  /// here on.
  virtual void hold() {}
  /// Adds the pages that were stored to since they were last copied. Their content stays, for the caller to
  /// copy, until `copied`.
  virtual void collect(changed_pages& changed, early_pages& early) = 0;
  /// The content of these pages is of no consequence any more, at home neither.
  virtual void release(std::span<const page_run> pages) = 0;
  /// All collected pages are copied: those that are stored to from here on are changed anew.
  virtual void copied() noexcept {}
  /// Whether the program waits until the pages are home.
  virtual bool waits_for_home() const noexcept { return false; }
  /// These pages, and all others that were not collected, are home.
  virtual void settle(std::span<const file_extent> home, std::span<const page_run> pages);
  /// Ends what `hold` and `collect` began. Pages that were collected and not copied are as changed as before.
  virtual void let_go() noexcept {}
  /// Whether `collect` tells of a page again that was collected and is not durable. If not, whoever collects
  /// remembers it.
  virtual bool recollects() const noexcept { return false; }

  // Memory whose pages may leave it at any time, with their changes, tells where they are.

  /// Of pages that have left: which are in the journal. Null where none leave before they are home.
  virtual journaled_pages* journaled() noexcept { return nullptr; }
  /// Home has become longer.
  virtual void home_extended() {}
  /// There is another file for the journal.
  virtual void journal_replaced(unsigned, const journal&) {}
  /// What is in the last epoch's journal is home, and that journal will be written over.
  virtual void journal_applied() noexcept {}
  /// Throws `io` when a page that had left did not come back as it was.
  virtual void require_none_lost() const {}
};

inline void epoch_memory::settle(std::span<const file_extent>, std::span<const page_run>) {}

}  // namespace perdure
