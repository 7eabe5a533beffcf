// A disk that writes down what it is told to do.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace perdure::crash {

/// A write, or a flush: what was written before it is on the medium when it has been answered.
struct disk_event {
  bool is_flush = false;
  std::uint64_t offset = 0;
  std::vector<std::byte> data{};
};
using disk_log = std::vector<disk_event>;

/// The disk is the only file of a FUSE file system, and a process of its own serves it: a program that
/// waits for its own page fault cannot answer it. Content and log are memory that both processes see. The
/// file is opened for direct I/O only, so no page cache puts writes off or together; requests are answered
/// one at a time, so the log has one order.
class recording_disk {
 public:
  /// Throws `not_possible`. Before the first thread.
  recording_disk(std::filesystem::path mount_point, std::uint64_t bytes);
  recording_disk(const recording_disk&) = delete;
  recording_disk& operator=(const recording_disk&) = delete;
  ~recording_disk();

  std::filesystem::path file() const;
  /// What it holds. May be changed while nobody uses the disk.
  std::byte* content() const { return content_; }

  /// From now on every write fails with EIO, and is not written down; or works again.
  void refuse_writes(bool refuses);

  /// How many events it was told so far.
  std::size_t events() const;
  /// Those events. Throws where there were more than there is room for.
  disk_log log() const;
  /// Starts an empty log. Nobody may use the disk meanwhile.
  void forget_log();

 private:
  struct shared;
  struct service;
  [[noreturn]] void serve(int ready);

  std::filesystem::path mount_point_;
  std::uint64_t bytes_;
  shared* shared_ = nullptr;
  std::byte* content_ = nullptr;
  pid_t server_ = -1;
};

}  // namespace perdure::crash
