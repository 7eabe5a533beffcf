// A memory barrier whose whole price one side pays: membarrier(2).
#pragma once

namespace perdure::os {

/// Whether this kernel has it, and lets this process use it. Asked of the kernel once.
bool has_asymmetric_fence() noexcept;

/// When it returns, each other thread of the process has gone through a full barrier. So what one of them
/// stored before a load, with only a compiler's barrier in between, is seen by the caller, unless that load
/// sees what the caller stored before the call. Takes some microseconds, the first time in a process with
/// several threads some milliseconds. Throws std::system_error.
void asymmetric_fence();

}  // namespace perdure::os
