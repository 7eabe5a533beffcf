// Whether this is the process that made an object, or a child forked since, told by MADV_WIPEONFORK.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

#include "os/mapping.hpp"
#include "os/system_error.hpp"

namespace perdure::os {

/// Tells the process that made it from forked children, without a system call. A page that the kernel empties
/// in children costs one byte read, where getpid(2) would be a call for each look.
class process_mark {
 public:
  /// Throws std::system_error.
  process_mark() : process_mark(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {}

  /// Async-signal-safe.
  bool is_of_this_process() const noexcept { return *memory_.base() != std::byte{0}; }

 private:
  explicit process_mark(std::size_t page) : memory_(page, page) {
    map_anonymous(memory_.base(), memory_.size(), access::read_write);
    if (::madvise(memory_.base(), memory_.size(), MADV_WIPEONFORK) != 0)
      throw_errno("madvise", "MADV_WIPEONFORK");
    *memory_.base() = std::byte{1};
  }

  reservation memory_;
};

}  // namespace perdure::os
