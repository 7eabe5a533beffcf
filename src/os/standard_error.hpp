// A line on the standard error stream, where nothing else can tell.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <string_view>

namespace perdure::os {

/// Writes the text by one system call, and not by write(3), which is a cancellation point. If that fails
/// there is nobody to tell. Async-signal-safe.
inline void write_to_standard_error(std::string_view text) noexcept {
  ::syscall(SYS_write, STDERR_FILENO, text.data(), text.size());
}

}  // namespace perdure::os
