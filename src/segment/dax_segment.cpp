// A segment that is the home files themselves, in persistent memory.
#include "segment/dax_segment.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "os/persistent_memory.hpp"
#include "segment/growth.hpp"
#include "segment/page_runs.hpp"

namespace perdure::detail {

dax_segment::dax_segment(os::reservation memory, std::size_t size, extend_files extend,
                         os::write_witness& witness)
    : memory_(std::move(memory)), extend_(std::move(extend)) {
  base_ = memory_.base();
  capacity_ = memory_.size();
  range_ = std::make_unique<os::guarded_range>(base_, capacity_);
  tracker_ = os::make_mprotect_tracker(*range_, granule, &witness);
  if (size != 0) map_from(0, size);
  size_.store(size, std::memory_order_release);
}

dax_segment::~dax_segment() {
  tracker_->detach();
  withheld_.reset();
}

void dax_segment::map_from(std::size_t offset, std::size_t bytes) {
  for_pieces(extend_(offset, offset + bytes), offset, offset + bytes,
             [this](std::size_t at, std::size_t part, int file, std::uint64_t place) {
               os::map_persistent(base_ + at, part, file, place, os::access::read);
             });
  tracker_->open_range(offset, bytes);
}

void dax_segment::grow(std::size_t bytes) {
  if (bytes <= size()) return;
  require_own();
  if (bytes > capacity_) throw std::bad_alloc();
  const std::scoped_lock lock(growing_);
  const std::size_t wanted = round_up(bytes, size_step);
  if (wanted <= size()) return;
  try {
    map_from(size(), wanted - size());
  } catch (const std::system_error&) {
    throw std::bad_alloc();
  }
  size_.store(wanted, std::memory_order_release);
}

void dax_segment::collect_dirty(page_run where, std::vector<page_run>& dirty) {
  tracker_->collect({where.first * page_size, where.count * page_size}, collected_);
  dirty.reserve(dirty.size() + collected_.size());
  for (const os::byte_range& range : collected_)
    dirty.push_back({range.offset / page_size, range.bytes / page_size});
  collected_.clear();
  normalize(dirty);
}

void dax_segment::hold_writers(page_run pages) {
  tracker_->hold_writers({pages.first * page_size, pages.count * page_size});
}

void dax_segment::admit_writers(page_run pages) noexcept {
  tracker_->admit_writers({pages.first * page_size, pages.count * page_size});
}

void dax_segment::admit_ahead(page_run pages) {
  constexpr std::uint64_t pages_each = granule / page_size;
  const std::uint64_t first = pages.first / pages_each * pages_each;
  const std::uint64_t end = (pages.first + pages.count + pages_each - 1) / pages_each * pages_each;
  const int error = tracker_->admit_ahead({first * page_size, (end - first) * page_size});
  if (error != 0) throw std::system_error(error, std::generic_category(), "make memory writable");
}

}  // namespace perdure::detail
