// Ordinary memory that runs out when a test wants it to.
#pragma once

namespace perdure {

/// While it lives, so many allocations of this thread succeed and the next ones throw std::bad_alloc. One at
/// a time. The program must have failing_allocation.cpp among its sources.
class failing_allocation {
 public:
  explicit failing_allocation(long succeed) noexcept;
  failing_allocation(const failing_allocation&) = delete;
  failing_allocation& operator=(const failing_allocation&) = delete;
  ~failing_allocation();
};

}  // namespace perdure
