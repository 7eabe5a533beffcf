// Examines the bytes of a segment's home files before any thread sees them.
#pragma once

#include "os/guarded_range.hpp"
#include "segment/segment.hpp"

namespace perdure::detail {

/// Examines an extent at a time.
class home_examiner : public os::extent_examiner {
 public:
  /// To be called outside signal handlers: throws an error that says what is wrong with an extent, or returns
  /// if it is sound after all.
  virtual void report(std::size_t extent) = 0;
};

/// Has the extents of these pages examined and opened now, if they are closed. Throws an error that says what
/// is wrong with them.
void open_closed(os::guarded_range& range, home_examiner& examiner, page_run pages);

}  // namespace perdure::detail
