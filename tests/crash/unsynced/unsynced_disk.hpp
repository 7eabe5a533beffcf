// A file system that forgets, when its power goes, what nobody has synced.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "crash/crash_point.hpp"
#include "crash/disk_image.hpp"
#include "support/random_stream.hpp"

namespace perdure::crash {

/// When the disk is to stop by itself; the earliest counts.
struct disk_stop {
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  std::uint64_t at_event = never;     ///< before the n-th change, or beginning or end of a sync
  std::uint64_t after_syncs = never;  ///< so many events after the n-th sync ended
  std::uint64_t events_later = 0;
  std::uint64_t in_sync = never;  ///< before the n-th sync ends
};

/// A write-back that fails (Rebello et al., Can Applications Recover from fsync Failures?, USENIX ATC 2020):
/// some of the pages that were written to a file since its last sync never reach the disk. The page cache
/// calls them clean; the error is told once.
struct write_back_failure {
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  std::uint64_t in_sync = never;   ///< the n-th sync fails
  std::uint64_t at_event = never;  ///< of some file before the n-th event, which its next sync tells
  /// So many events after, the pages leave the page cache and read as on the disk: 0 as on btrfs, later or
  /// never as on ext4 and XFS.
  std::uint64_t events_until_evicted = never;
};

/// Files and directories in memory, in two states: as programs see them, and as they would be found after a
/// power cut, which is not one state but what `crash_point` says. Syncs take time, in which others go on, so
/// that a write made during a sync is not covered by it.
///
/// Operations throw std::system_error with the errno a file system would give. Thread-safe.
class unsynced_disk {
 public:
  /// Stopped, it answers nothing until `go_on` or `cut_power`.
  enum class power { on, stopped, cut };

  unsynced_disk(const disk_image& content, std::uint64_t seed);

  struct attributes {
    inode_number number;
    bool is_directory;
    std::uint64_t size;
    std::uint64_t pages_held;
  };
  attributes status(inode_number number);
  attributes find(inode_number directory, const std::string& name);
  std::vector<std::pair<std::string, attributes>> list(inode_number directory);
  attributes create(inode_number directory, const std::string& name, bool is_directory);
  void remove(inode_number directory, const std::string& name, bool is_directory);
  void rename(inode_number directory, const std::string& name, inode_number new_directory,
              const std::string& new_name, bool may_replace);
  /// Returns how much there was to read.
  std::size_t read(inode_number file, std::span<std::byte> to, std::uint64_t offset);
  void write(inode_number file, std::span<const std::byte> from, std::uint64_t offset);
  void resize(inode_number file, std::uint64_t bytes);
  /// Whole pages.
  void punch(inode_number file, std::uint64_t offset, std::uint64_t bytes);
  /// The first byte at or after `offset` that is data, or is in a hole; ENXIO where there is none.
  std::uint64_t next(inode_number file, std::uint64_t offset, bool is_data);
  void sync(inode_number number);

  /// For whoever decides about the power.
  void stop_when(const disk_stop& wanted);
  void fail_when(const write_back_failure& wanted);
  bool has_failed();
  void stop();
  bool wait_until_stopped(std::chrono::milliseconds patience);
  void go_on();
  /// What is asked from now on, and what still waits, fails with EIO.
  void cut_power();

  std::uint64_t events();
  std::uint64_t syncs();
  /// As programs see it.
  disk_image content();
  /// What may be left of it.
  crash_point remains();
  /// A file of which pages now read otherwise than when they were read last, each time once.
  std::optional<inode_number> take_evicted();

 private:
  using guard = std::unique_lock<std::mutex>;
  // Every operation begins with it.
  guard enter();
  void wait_for_power(guard& lock);
  void count_event(guard& lock);
  void make(const logged_call& call);
  void fail_write_back(inode_number file);
  void keep_from_eviction(const logged_call& call);
  void evict();
  const inode& existing(inode_number number) const;
  const inode& directory(inode_number number) const;
  attributes attributes_of(inode_number number) const;
  inode_number named(inode_number directory, const std::string& name) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  power power_ = power::on;
  disk_stop stop_;
  write_back_failure failure_;
  bool has_failed_ = false;
  std::optional<inode_number> failed_untold_;
  std::optional<logged_call> lost_;  // and still in the page cache
  std::uint64_t evicted_at_event_ = write_back_failure::never;
  std::optional<inode_number> evicted_;
  std::uint64_t events_ = 0;
  std::uint64_t syncs_ = 0;
  random_stream random_;
  disk_image content_;
  crash_point remains_;
  std::size_t calls_ = 0;
};

}  // namespace perdure::crash
