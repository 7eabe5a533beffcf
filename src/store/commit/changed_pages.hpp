// What trackers have reported and the heap has released, and no commit has yet made durable.
#pragma once

#include <span>
#include <vector>

#include "segment/tracked_segment.hpp"
#include "store/commit/early_pages.hpp"

namespace perdure {

/// It survives failed checkpoints, since trackers report a page once: whatever is thrown here, no page that
/// was reported is forgotten. Not thread-safe.
class changed_pages {
 public:
  /// Takes over what the tracker has to report of some pages; writers must be quiet or held.
  void gather(tracked_segment& memory, page_run where, early_pages& early);
  /// The same, of pages that somebody else has found; normalized.
  void add(const std::vector<page_run>& newly_dirty, early_pages& early);
  /// Pages whose content is no longer needed; normalized.
  void release(std::span<const page_run> pages, early_pages& early);

  /// What must be written: stored to, and not released since.
  std::vector<page_run> to_write() const;
  const std::vector<page_run>& dirty() const noexcept { return dirty_; }
  const std::vector<page_run>& released() const noexcept { return released_; }

  /// These have been written; normalized.
  void settle(const std::vector<page_run>& pages);

  /// Forgets which pages were stored to: somebody else knows.
  void forget_dirty() noexcept { dirty_.clear(); }

  /// What is known of a part, which is then no longer here until it is put back.
  changed_pages extract(page_run part);
  void put_back(page_run part, changed_pages&& taken, early_pages& early) noexcept;

  void clear() noexcept {
    dirty_.clear();
    released_.clear();
  }

 private:
  std::vector<page_run> reported_;
  std::vector<page_run> dirty_;
  std::vector<page_run> released_;
};

}  // namespace perdure
