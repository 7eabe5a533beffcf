#include "segment/private_segment.hpp"

#include <algorithm>
#include <new>

#include "segment/growth.hpp"
#include "segment/page_runs.hpp"

namespace perdure {

namespace {

std::size_t map_all(std::byte* base, std::span<const file_extent> home, std::size_t skip,
                    os::access allowed) {
  std::size_t at = 0;
  for (const file_extent& extent : home) {
    const std::size_t end = at + extent.bytes;
    if (end > skip) {
      const std::size_t from = std::max(at, skip);
      os::map_private(base + from, end - from, extent.descriptor, extent.offset + (from - at), allowed);
    }
    at = end;
  }
  return at;
}

}  // namespace

private_segment::private_segment(os::reservation memory, std::span<const file_extent> home, page_use use)
    : memory_(std::move(memory)) {
  base_ = memory_.base();
  capacity_ = memory_.size();
  read_only_ = use == page_use::none;
  mapped_ = map_all(base_, home, 0, os::access::read_write);
  open_ = mapped_;
  size_.store(mapped_, std::memory_order_release);
  if (use != page_use::tracked) return;
  const std::size_t small = std::max(round_up(mapped_, size_step), small_page_part);
  // What a store holds is there to be filled and scanned.
  if (huge_pages_wanted(true) && small < capacity_) os::prefer_huge_pages(base_ + small, capacity_ - small);
  tracker_ = os::make_page_tracker(os::choose_tracker(), base_, capacity_);
  tracker_->open_range(0, mapped_);
}

private_segment::~private_segment() {
  // Unmapping before the tracker goes spares the kernel a walk over the pages to take its marks off.
  if (tracker_) tracker_->detach();
  memory_ = os::reservation();
}

void private_segment::grow(std::size_t bytes) {
  if (bytes <= size()) return;
  if (bytes > capacity_ || read_only_) throw std::bad_alloc();
  const std::scoped_lock lock(growing_);
  const std::size_t wanted = round_up(bytes, size_step);
  if (wanted <= size()) return;
  open_up_to(wanted, capacity_, open_, [this](std::size_t offset, std::size_t step) {
    if (tracker_) return tracker_->open_range(offset, step);
    os::protect(base_ + offset, step, os::access::read_write);
  });
  size_.store(wanted, std::memory_order_release);
}

void private_segment::discard(page_run pages) {
  os::drop_pages(base_ + pages.first * page_size, pages.count * page_size);
}

void private_segment::collect_dirty(std::vector<page_run>& dirty) {
  // What the tracker has reported it will not report again, so it is kept until it has been handed on.
  tracker_->collect(size(), collected_);
  dirty.reserve(dirty.size() + collected_.size());
  for (const os::byte_range& range : collected_)
    dirty.push_back({range.offset / page_size, range.bytes / page_size});
  collected_.clear();
  normalize(dirty);
}

void private_segment::adopt(std::span<const file_extent> home, std::span<const page_run> settled) {
  for (const page_run& run : settled) {
    const std::size_t begin = run.first * page_size;
    const std::size_t end = std::min(begin + run.count * page_size, mapped_);
    if (begin < end) os::drop_pages(base_ + begin, end - begin);
  }
  mapped_ = std::max(mapped_, map_all(base_, home, mapped_, os::access::read_write));
}

void private_segment::seal() {
  os::protect(base_, mapped_, os::access::read);
}

}  // namespace perdure
