#include "store/changed_pages.hpp"

#include "segment/page_runs.hpp"

namespace perdure {

void changed_pages::gather(private_segment& memory, page_run where, early_pages& early) {
  memory.collect_dirty(where, reported_);
  for (const page_run& run : reported_) early.unsettle(run);
  // Released by a checkpoint that failed, and stored to since: in use again.
  released_ = subtract(released_, reported_);
  dirty_.insert(dirty_.end(), reported_.begin(), reported_.end());
  normalize(dirty_);
  reported_.clear();
}

void changed_pages::release(std::span<const page_run> pages, early_pages& early) {
  for (const page_run& run : pages) early.unsettle(run);
  released_.insert(released_.end(), pages.begin(), pages.end());
  normalize(released_);
}

std::vector<page_run> changed_pages::to_write() const {
  return subtract(dirty_, released_);
}

void changed_pages::settle(const std::vector<page_run>& pages) {
  dirty_ = subtract(dirty_, pages);
}

changed_pages changed_pages::extract(page_run part) {
  changed_pages taken;
  taken.dirty_ = intersect(dirty_, part);
  taken.released_ = intersect(released_, part);
  std::vector<page_run> rest = subtract(dirty_, {part});
  std::vector<page_run> rest_released = subtract(released_, {part});
  rest.reserve(rest.size() + 1);  // for `put_back`
  dirty_ = std::move(rest);
  released_ = std::move(rest_released);
  return taken;
}

void changed_pages::put_back(page_run part, changed_pages&& taken) noexcept {
  try {
    std::vector<page_run> dirty = dirty_;
    for (const auto* runs : {&taken.dirty_, &taken.reported_})
      dirty.insert(dirty.end(), runs->begin(), runs->end());
    normalize(dirty);
    std::vector<page_run> released = subtract(taken.released_, taken.reported_);
    released.insert(released.end(), released_.begin(), released_.end());
    normalize(released);
    dirty_ = std::move(dirty);
    released_ = std::move(released);
  } catch (const std::bad_alloc&) {
    // More than was stored to does no harm.
    dirty_.push_back(part);
    normalize(dirty_);
  }
}

}  // namespace perdure
