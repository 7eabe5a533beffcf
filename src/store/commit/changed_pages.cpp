// The set of pages that the next checkpoint must deal with.
#include "store/commit/changed_pages.hpp"

#include "base/invariant.hpp"
#include "segment/page_runs.hpp"

namespace perdure::store {

void changed_pages::gather(detail::tracked_segment& memory, detail::page_run where, early_pages& early) {
  memory.collect_dirty(where, reported_);
  add(reported_, early);
  reported_.clear();
}

void changed_pages::add(const std::vector<detail::page_run>& newly_dirty, early_pages& early) {
  PERDURE_PARANOID_INVARIANT(detail::is_normalized(newly_dirty) && detail::is_normalized(dirty_) &&
                             detail::is_normalized(released_));
  for (const detail::page_run& run : newly_dirty) early.unsettle(run);
  // A page that a failed checkpoint was to release, and that was written to since, is in use again.
  released_ = detail::subtract(released_, newly_dirty);
  dirty_.insert(dirty_.end(), newly_dirty.begin(), newly_dirty.end());
  detail::normalize(dirty_);
}

void changed_pages::release(std::span<const detail::page_run> pages, early_pages& early) {
  for (const detail::page_run& run : pages) early.unsettle(run);
  released_.insert(released_.end(), pages.begin(), pages.end());
  detail::normalize(released_);
}

std::vector<detail::page_run> changed_pages::to_write() const {
  return detail::subtract(dirty_, released_);
}

void changed_pages::settle(const std::vector<detail::page_run>& pages) {
  PERDURE_PARANOID_INVARIANT(detail::is_normalized(pages));
  dirty_ = detail::subtract(dirty_, pages);
}

changed_pages changed_pages::extract(detail::page_run part) {
  changed_pages taken;
  taken.dirty_ = detail::intersect(dirty_, part);
  taken.released_ = detail::intersect(released_, part);
  std::vector<detail::page_run> rest = detail::subtract(dirty_, {part});
  std::vector<detail::page_run> rest_released = detail::subtract(released_, {part});
  rest.reserve(rest.size() + 1);  // for `put_back`
  dirty_ = std::move(rest);
  released_ = std::move(rest_released);
  return taken;
}

void changed_pages::put_back(detail::page_run part, changed_pages&& taken, early_pages& early) noexcept {
  try {
    std::vector<detail::page_run> newly_dirty = std::move(taken.dirty_);
    newly_dirty.insert(newly_dirty.end(), taken.reported_.begin(), taken.reported_.end());
    detail::normalize(newly_dirty);
    // The tracker may have had something left to report of other parts.
    std::vector<detail::page_run> released = detail::subtract(released_, newly_dirty);
    const std::vector<detail::page_run> still_released = detail::subtract(taken.released_, taken.reported_);
    released.insert(released.end(), still_released.begin(), still_released.end());
    detail::normalize(released);
    newly_dirty.insert(newly_dirty.end(), dirty_.begin(), dirty_.end());
    detail::normalize(newly_dirty);
    dirty_ = std::move(newly_dirty);
    released_ = std::move(released);
  } catch (const std::bad_alloc&) {
    // To write more pages than were changed does no harm.
    early.unsettle(part);
    dirty_.push_back(part);
    detail::normalize(dirty_);
  }
}

}  // namespace perdure::store
