// Many readers or one writer.
#pragma once

#include <memory>

#include "os/file.hpp"

namespace perdure {

/// Held while the object lives; the kernel lets go of it when the process dies. The lock is on `super`, which
/// no store can be opened without, and on LOCK, which says who the writer is and is there before `super`.
class store_lock {
 public:
  /// Takes the lock or throws `in_use` naming the holder. A reader of read-only media needs no LOCK file.
  store_lock(const os::file& directory, os::lock_mode mode);
  store_lock(store_lock&&) noexcept;
  store_lock& operator=(store_lock&&) noexcept;
  ~store_lock();

  /// To be called by a writer that made `super` after it had taken the lock.
  void lock_super(const os::file& directory);
  /// Lets go. A child forked from a writer has let go from its beginning, so that the store is free once the
  /// parent has ended; one forked from a reader goes on reading, and keeps the lock.
  void release() noexcept;

 private:
  struct held_files;
  void take(os::file& to, const os::file& directory, const char* name, int flags);

  std::unique_ptr<held_files> held_;
};

}  // namespace perdure
