// Asks the processor, or the kernel, which instructions it has.
#include "os/cpu.hpp"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace perdure::os {

bool cpu_has_crc32c() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_supports("sse4.2") != 0;
#elif defined(__aarch64__)
  constexpr unsigned long crc32_capability = 1UL << 7;  // HWCAP_CRC32
  return (::getauxval(AT_HWCAP) & crc32_capability) != 0;
#else
  return false;
#endif
}

}  // namespace perdure::os
