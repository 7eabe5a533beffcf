// A segment of ordinary memory.
#include "segment/volatile_segment.hpp"

#include <mutex>
#include <new>
#include <perdure/error.hpp>
#include <string>
#include <system_error>

#include "os/mapping.hpp"
#include "segment/growth.hpp"

namespace perdure::detail {

namespace {

class volatile_segment final : public segment {
 public:
  explicit volatile_segment(os::reservation memory) : memory_(std::move(memory)) {
    base_ = memory_.base();
    capacity_ = memory_.size();
    // Only if the user asks for it: with huge pages a single touch clears 2 MiB, for blocks that may never be
    // filled.
    if (huge_pages_wanted(huge_pages::nowhere) == huge_pages::everywhere)
      os::prefer_huge_pages(base_ + small_page_part, capacity_ - small_page_part);
  }

  void grow(std::size_t bytes) override {
    if (bytes <= size()) return;
    if (bytes > capacity_) throw std::bad_alloc();
    const std::scoped_lock lock(growing_);
    const std::size_t wanted = round_up(bytes, size_step);
    if (wanted <= size()) return;
    open_up_to(wanted, capacity_, open_, [this](std::size_t offset, std::size_t step) {
      os::protect(base_ + offset, step, os::access::read_write);
    });
    size_.store(wanted, std::memory_order_release);
  }

  void discard(page_run pages) override {
    os::drop_pages(base_ + pages.first * page_size, pages.count * page_size);
  }

 private:
  os::reservation memory_;
  std::mutex growing_;
  std::size_t open_ = 0;  // bytes already readable and writable, size() and a reserve for growth
};

}  // namespace

std::unique_ptr<segment> make_volatile_segment(std::size_t capacity) {
  if (capacity == 0) capacity = segment_alignment;
  if (capacity > (std::size_t{1} << 47)) {
    throw error(errc::invalid_argument,
                "a segment of " + std::to_string(capacity) + " bytes exceeds the address space");
  }
  try {
    return std::make_unique<volatile_segment>(
        os::reservation(round_up(capacity, segment_alignment), segment_alignment));
  } catch (const std::system_error& failure) {
    throw error(errc::out_of_memory, std::string("cannot reserve address space for a segment: ") +
                                         failure.what() + "; raise what limits it, " +
                                         os::mapping_limits_in_words() + ", or ask for a smaller capacity");
  }
}

}  // namespace perdure::detail
