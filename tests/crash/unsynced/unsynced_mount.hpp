// An `unsynced_disk` for programs: a FUSE file system, mounted while the object lives.
#pragma once

#include <filesystem>
#include <memory>
#include <thread>

#include "crash/unsynced/unsynced_disk.hpp"

struct fuse_session;

namespace perdure::crash {

/// Served by threads of this process, which must therefore not use the files itself: a thread that waits for
/// its own page fault cannot answer it. Nothing is cached for writing: a write has reached the disk object
/// when it returns. Reads and mapped pages come from the kernel's cache, which is filled from there, and
/// again when the disk says that pages were evicted.
class unsynced_mount {
 public:
  /// Throws `not_possible`.
  unsynced_mount(std::filesystem::path mount_point, unsynced_disk& disk);
  unsynced_mount(const unsynced_mount&) = delete;
  unsynced_mount& operator=(const unsynced_mount&) = delete;
  ~unsynced_mount();

  unsynced_disk& disk() { return disk_; }
  /// Not while a request of the kernel's is unanswered by the calling thread: the kernel may hold what this
  /// needs.
  void forget_evicted();

 private:
  unsynced_disk& disk_;
  std::filesystem::path mount_point_;
  fuse_session* session_ = nullptr;
  std::thread server_;
};

}  // namespace perdure::crash
