// How a command keeps to a budget of memory.
#pragma once

#include <malloc.h>

namespace perdure::cli {

/// Has large pieces of memory go back to the system when they are freed, so that the next step has them:
/// malloc keeps them where it raises its limit.
inline void return_freed_memory() noexcept {
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

}  // namespace perdure::cli
