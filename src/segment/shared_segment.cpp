#include "segment/shared_segment.hpp"

#include <algorithm>
#include <new>

#include "segment/growth.hpp"

namespace perdure {

shared_segment::shared_segment(os::reservation memory, std::size_t size, extend_files extend)
    : memory_(std::move(memory)), extend_(std::move(extend)) {
  base_ = memory_.base();
  capacity_ = memory_.size();
  if (size != 0) map_from(0, size);
  open_ = size;
  size_.store(size, std::memory_order_release);
}

void shared_segment::map_from(std::size_t offset, std::size_t bytes) {
  const std::vector<file_extent> home = extend_(offset + bytes);
  std::size_t at = 0;
  for (const file_extent& extent : home) {
    const std::size_t end = std::min(at + extent.bytes, offset + bytes);
    if (end > offset) {
      const std::size_t from = std::max(at, offset);
      os::map_shared(base_ + from, end - from, extent.descriptor, extent.offset + (from - at),
                     os::access::read_write);
    }
    at += extent.bytes;
  }
}

void shared_segment::grow(std::size_t bytes) {
  if (bytes <= size()) return;
  if (bytes > capacity_) throw std::bad_alloc();
  const std::scoped_lock lock(growing_);
  const std::size_t wanted = round_up(bytes, size_step);
  if (wanted <= size()) return;
  open_up_to(wanted, capacity_, open_,
             [this](std::size_t offset, std::size_t step) { map_from(offset, step); });
  size_.store(wanted, std::memory_order_release);
}

void shared_segment::discard(page_run) {
  // The pages are the files' own: nothing but a hole in the file would free them, and the store makes
  // holes when it is told what is released.
}

}  // namespace perdure
