// A memory barrier whose whole price one side pays: membarrier(2), and whether the kernel has it.
#include "os/asymmetric_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "os/system_error.hpp"

namespace perdure::os {

namespace {

long membarrier(int command) noexcept {
  return ::syscall(SYS_membarrier, command, 0, 0);
}

}  // namespace

bool has_asymmetric_fence() noexcept {
  constexpr long needed = MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
  static const long offered = membarrier(MEMBARRIER_CMD_QUERY);
  return offered > 0 && (offered & needed) == needed;
}

void asymmetric_fence() {
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return;
  // A process must register first. That waits for all processors, so a process that never needs it does not
  // register.
  if (errno == EPERM && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 &&
      membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
    return;
  throw_errno("membarrier", {});
}

}  // namespace perdure::os
