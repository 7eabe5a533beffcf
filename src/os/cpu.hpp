// Abilities of this processor.
#pragma once

namespace perdure::os {

/// Returns whether there are instructions for CRC-32C (SSE4.2 on x86-64, the CRC extension on aarch64).
bool cpu_has_crc32c() noexcept;

/// How many processors this process may use; 1 at least.
unsigned available_processors() noexcept;

}  // namespace perdure::os
