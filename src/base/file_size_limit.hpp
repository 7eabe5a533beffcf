// The process's limit on the sizes of files.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace perdure::base {

/// Returns whether `ulimit -f` keeps this process from writing at `offset`; errno is EFBIG then. To be asked
/// before writing, as the kernel answers such a write with the signal SIGXFSZ too, which ends a program that
/// does not know of it. Async-signal-safe.
inline bool is_beyond_file_size_limit(std::uint64_t offset) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || offset < limit.rlim_cur)
    return false;
  errno = EFBIG;
  return true;
}

/// The same for a write at the place where the file stands; false for what is no file, such as a pipe.
inline bool is_at_file_size_limit(int descriptor) noexcept {
  const off_t at = ::lseek(descriptor, 0, SEEK_CUR);
  return at >= 0 && is_beyond_file_size_limit(static_cast<std::uint64_t>(at));
}

}  // namespace perdure::base
