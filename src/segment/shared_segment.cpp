// A shared mapping of the home files.
#include "segment/shared_segment.hpp"

#include <algorithm>
#include <new>

#include "segment/growth.hpp"

namespace perdure::detail {

shared_segment::shared_segment(os::reservation memory, std::size_t size, extend_files extend)
    : memory_(std::move(memory)), extend_(std::move(extend)) {
  base_ = memory_.base();
  capacity_ = memory_.size();
  if (size != 0) map_from(0, size);
  open_ = size;
  size_.store(size, std::memory_order_release);
}

void shared_segment::map_from(std::size_t offset, std::size_t bytes) {
  for_pieces(extend_(offset + bytes), offset, offset + bytes,
             [this](std::size_t at, std::size_t part, int file, std::uint64_t place) {
               os::map_shared(base_ + at, part, file, place, os::access::read_write);
             });
}

void shared_segment::grow(std::size_t bytes) {
  if (bytes <= size()) return;
  require_own();
  if (bytes > capacity_) throw std::bad_alloc();
  const std::scoped_lock lock(growing_);
  const std::size_t wanted = round_up(bytes, size_step);
  if (wanted <= size()) return;
  open_up_to(wanted, capacity_, open_,
             [this](std::size_t offset, std::size_t step) { map_from(offset, step); });
  size_.store(wanted, std::memory_order_release);
}

possession shared_segment::held() const noexcept {
  return owner_.is_here() ? possession::own : possession::parents;
}

void shared_segment::discard(page_run) {
  // The pages are the files' own: only a hole in the file would free them, and the store makes holes when it
  // is told what is released.
}

}  // namespace perdure::detail
