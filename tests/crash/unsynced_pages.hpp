// What a disk still holds of pages that were written and not synced.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "support/random_stream.hpp"

namespace perdure::crash {

/// Lets a write-back fail as real file systems do (Rebello et al., Can Applications Recover from fsync
/// Failures?, USENIX ATC 2020): the page cache then calls the pages clean, and sooner or later (btrfs: at
/// once, ext4 and XFS: when they are evicted) they read as what is on the disk. Thread-safe.
class unsynced_pages {
 public:
  /// Before bytes of an open file are written.
  void writing(int descriptor, std::uint64_t offset, std::uint64_t bytes);
  /// A cut or a hole counts as durable at once.
  void resized(int descriptor, std::uint64_t bytes);
  void punched(int descriptor, std::uint64_t offset, std::uint64_t bytes);
  /// A sync of the file covers what was written before it began.
  void sync_begun(int descriptor);
  void sync_ended(int descriptor);
  using page_bytes = std::vector<std::byte>;
  using pages = std::map<std::uint64_t, page_bytes>;  // by number, as they are on the disk
  /// Some of the file's pages, or all, read as what the disk holds, which is returned; a later sync makes
  /// none of them durable.
  pages lose(int descriptor, random_stream random);

 private:
  struct file_pages {
    pages before_sync;  // written before the sync that is under way
    pages since;
  };

  std::mutex mutex_;
  std::map<ino_t, file_pages> files_;
};

}  // namespace perdure::crash
