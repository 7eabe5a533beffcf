// Asks the processor, or the kernel, which instructions it has, and how many processors there are.
#include "os/cpu.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

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

unsigned available_processors() noexcept {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace perdure::os
