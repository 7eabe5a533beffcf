// The file LOCK: many readers or one writer.
#pragma once

#include "os/file.hpp"

namespace perdure {

/// Held while the object lives; the kernel lets go of it when the process dies.
class store_lock {
 public:
  /// Takes the lock or throws `in_use` naming the holder. A reader of read-only media needs no LOCK file.
  store_lock(const os::file& directory, os::lock_mode mode);
  store_lock(store_lock&&) = default;
  store_lock& operator=(store_lock&&) = default;
  ~store_lock() { release(); }

  /// Lets go. In a forked child only its own copy of the descriptor is closed; the parent keeps the lock.
  void release() noexcept;

 private:
  os::file file_;
  os::lock_mode mode_;
  int owner_;
};

}  // namespace perdure
