// A memory barrier whose whole price one side pays: membarrier(2).
#pragma once

namespace perdure::os {

/// Returns whether this kernel has such barriers, and lets this process use them. The kernel is asked once.
bool has_asymmetric_fence() noexcept;

/// When it returns, each other thread of the process has gone through a full barrier. So if one of them
/// writes a word and then reads another, with only a compiler's barrier in between, either the caller sees
/// what it wrote, or that thread reads what the caller wrote before the call. Takes some microseconds, the
/// first time in a process with several threads some milliseconds. Throws std::system_error.
void asymmetric_fence();

}  // namespace perdure::os
