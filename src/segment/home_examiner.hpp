// Examining what a segment's home files hold before anybody sees it.
#pragma once

#include "os/guarded_range.hpp"
#include "segment/segment.hpp"

namespace perdure {

/// An extent at a time.
class home_examiner : public os::extent_examiner {
 public:
  /// Not in a signal handler: throws what is wrong with an extent; returns if it is fit after all.
  virtual void report(std::size_t extent) = 0;
};

/// Has the extents of these pages examined and opened now, if they are closed. Throws what is wrong with
/// them.
void open_closed(os::guarded_range& range, home_examiner& examiner, page_run pages);

}  // namespace perdure
