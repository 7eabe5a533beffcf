// The signal of memory that cannot be had.
#pragma once

namespace perdure::os {

/// Sends the calling thread SIGBUS for `address`, as the kernel does for a page that it cannot read: where
/// the signal is ignored or blocked it ends the process all the same. Returns only if a handler of the
/// program does. Async-signal-safe.
void raise_bus_error(void* address) noexcept;

}  // namespace perdure::os
