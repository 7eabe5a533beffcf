// Settings from environment variables.
#pragma once

#include <cstddef>

namespace perdure::pager_preload {

struct settings {
  bool is_active = false;
  std::size_t budget = 0;     ///< bytes, of each mapping
  std::size_t most = 0;       ///< bytes, of all mappings together
  std::size_t threshold = 0;  ///< bytes: shorter mappings are left alone
  bool writable_files = false;
  bool is_verbose = false;
};

/// Read at the first call. A value that is none is told on the standard error stream, and makes nothing
/// active.
const settings& given() noexcept;

/// A line on the standard error stream. Not through stdio, which allocates, and may be the caller.
void say(const char* format, ...) noexcept __attribute__((format(printf, 1, 2)));

}  // namespace perdure::pager_preload
