// Common part of the backings with atomic checkpoints: the store finds out which pages were written to,
// and can make threads that write wait.
#pragma once

#include <mutex>
#include <vector>

#include "os/thread_sanitizer.hpp"
#include "segment/segment.hpp"

namespace perdure::detail {

class tracked_segment : public segment {
 public:
  /// Appends, sorted and without overlap, those of these pages that were written to since the last call. The
  /// threads that write to them must be quiet or held.
  virtual void collect_dirty(page_run where, std::vector<page_run>& dirty) = 0;

  /// From here to `admit_writers` threads that write to these pages wait; one run at a time.
  virtual void hold_writers(page_run pages) = 0;
  virtual void admit_writers(page_run pages) noexcept = 0;

  /// While the lock lives the segment does not grow: threads that want it to grow wait.
  std::unique_lock<std::mutex> hold_growth() { return std::unique_lock(growing_); }

 protected:
  std::mutex growing_;
};

/// While it lives, threads that write to these pages wait.
class write_pause {
 public:
  write_pause(tracked_segment& memory, page_run pages) : memory_(memory), pages_(pages) {
    memory_.hold_writers(pages_);
    os::begin_ordered_reads();
  }
  write_pause(const write_pause&) = delete;
  write_pause& operator=(const write_pause&) = delete;
  ~write_pause() {
    os::end_ordered_reads();
    memory_.admit_writers(pages_);
  }

 private:
  tracked_segment& memory_;
  page_run pages_;
};

}  // namespace perdure::detail
