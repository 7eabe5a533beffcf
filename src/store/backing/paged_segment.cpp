// The segment of a paged store, over the pager.
#include "store/backing/paged_segment.hpp"

#include <algorithm>
#include <new>

#include "os/mapping.hpp"
#include "segment/growth.hpp"

namespace perdure::store {

namespace {

pager::options options_for(std::size_t budget, detail::page_use use) {
  pager::options wanted;
  wanted.budget = std::max(budget, pager::least_budget);
  // Changes go to where the source says, and are dropped when the segment is destroyed.
  wanted.mode = use == detail::page_use::none ? pager::mode::read_only : pager::mode::private_copy;
  return wanted;
}

}  // namespace

paged_segment::paged_segment(os::reservation place, std::unique_ptr<paged_home> home, std::size_t bytes,
                             std::size_t budget, detail::page_use use)
    : home_(home.get()), open_(bytes) {
  read_only_ = use == detail::page_use::none;
  base_ = place.base();
  capacity_ = place.size();
  const pager::options wanted = options_for(budget, use);
  pages_ = std::make_unique<pager::detail::checkpointed_mapping>(std::move(home), wanted, std::move(place));
  range_ = std::make_unique<os::guarded_range>(base_, capacity_);
  os::protect(base_, bytes, read_only_ ? os::access::read : os::access::read_write);
  home_->open(bytes / page_size);
  size_.store(bytes, std::memory_order_release);
  shown_ = pager::detail::publication::begin(*pages_, home_->name(), wanted);
}

paged_segment::~paged_segment() {
  range_->detach();
  withheld_.reset();
}

void paged_segment::grow(std::size_t bytes) {
  if (bytes <= size()) return;
  require_own();
  if (bytes > capacity_ || read_only_) throw std::bad_alloc();
  const std::scoped_lock lock(growing_);
  const std::size_t wanted = detail::round_up(bytes, detail::size_step);
  if (wanted <= size()) return;
  detail::open_up_to(wanted, capacity_, open_, [this](std::size_t offset, std::size_t step) {
    range_->protect(offset, step, os::access::read_write);
  });
  home_->open(wanted / page_size);
  size_.store(wanted, std::memory_order_release);
}

void paged_segment::discard(detail::page_run pages) {
  require_own();
  pages_->forget(static_cast<pager::detail::page_number>(pages.first), static_cast<std::size_t>(pages.count));
}

void paged_segment::require_sound(detail::page_run pages) const {
  if (examiner_ == nullptr) return;
  require_own();
  detail::open_closed(*range_, *examiner_, pages);
}

void paged_segment::seal() {
  read_only_ = true;
  os::protect(base_, size(), os::access::read);
}

void paged_segment::examine_when_touched(detail::home_examiner& examiner) {
  // Pages that are changed already could not be written from closed memory.
  pages_->drain();
  examiner_ = &examiner;
  range_->close(size(), read_only_ ? os::access::read : os::access::read_write, examiner);
}

}  // namespace perdure::store
