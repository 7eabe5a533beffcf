// Pages that trackers have reported or the heap has released, and that no commit has made durable yet.
#pragma once

#include <span>
#include <vector>

#include "segment/tracked_segment.hpp"
#include "store/commit/early_pages.hpp"

namespace perdure::store {

/// It survives failed checkpoints, since trackers report a page once: whatever is thrown here, no page that
/// was reported is forgotten. Not thread-safe.
class changed_pages {
 public:
  /// Collects what the tracker has to report about some pages; threads that write to them must be quiet or
  /// held.
  void gather(detail::tracked_segment& memory, detail::page_run where, early_pages& early);
  /// Adds pages that the caller has found to be dirty; normalized.
  void add(const std::vector<detail::page_run>& newly_dirty, early_pages& early);
  /// Adds pages whose content is no longer needed; normalized.
  void release(std::span<const detail::page_run> pages, early_pages& early);

  /// The pages that must be written: those that are dirty and were not released since.
  std::vector<detail::page_run> to_write() const;
  const std::vector<detail::page_run>& dirty() const noexcept { return dirty_; }
  const std::vector<detail::page_run>& released() const noexcept { return released_; }

  /// These pages have been written; normalized.
  void settle(const std::vector<detail::page_run>& pages);

  /// Forgets which pages are dirty: the backing will report them again.
  void forget_dirty() noexcept { dirty_.clear(); }

  /// Takes out what is known about a part, until it is put back.
  changed_pages extract(detail::page_run part);
  void put_back(detail::page_run part, changed_pages&& taken, early_pages& early) noexcept;

  void clear() noexcept {
    dirty_.clear();
    released_.clear();
  }

 private:
  std::vector<detail::page_run> reported_;
  std::vector<detail::page_run> dirty_;
  std::vector<detail::page_run> released_;
};

}  // namespace perdure::store
