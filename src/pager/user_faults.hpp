// userfaultfd in its SIGBUS mode: the thread that touches a missing page, or stores to a protected one, gets
// a SIGBUS and answers for itself, with no other thread and no message between.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "os/file.hpp"

namespace perdure::pager::detail {

class user_faults {
 public:
  /// Throws std::system_error where the kernel or its settings do not have it.
  user_faults();

  /// Touches of missing pages of private anonymous memory are signalled from now on; and with `stores` those
  /// that store to protected ones. Throws std::system_error.
  void watch(std::byte* base, std::size_t bytes, bool stores);

  /// Puts pages where none are. Returns 0 or an errno. Async-signal-safe.
  int install(std::byte* at, const std::byte* from, std::size_t bytes, bool is_protected) const noexcept;
  /// Makes pages that are there read-only, or writable again. Returns 0 or an errno. Async-signal-safe.
  int protect(std::byte* at, std::size_t bytes, bool is_protected) const noexcept;

 private:
  os::file descriptor_;
};

}  // namespace perdure::pager::detail
