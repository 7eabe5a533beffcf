// Limits of memory and time on a library of others while it reads a file, which may be damaged.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <filesystem>

namespace perdure::cli {

/// Limits that hold between `begin` and `end`, for the whole process:
///
/// - each step takes up to 3 s of processor time, and 1 s more for each MiB of the file; the process then
/// ends by
///   SIGPROF, which `go_on_apart` reports;
/// - memory grows by up to 1 GiB, and 64 bytes more for each byte of the file; the library then gets none.
///
/// In the process that `go_on_apart` has started only.
class library_limits {
 public:
  /// Limits for reading `file`; none if `is_limited` is false.
  library_limits(const std::filesystem::path& file, bool is_limited);
  library_limits(const library_limits&) = delete;
  library_limits& operator=(const library_limits&) = delete;
  ~library_limits() { end(); }

  /// Sets the limits, and begins a step.
  void begin();
  /// Begins another step, if limits are set.
  void step() const;
  /// Lifts the limits.
  void end() noexcept;
  /// Bytes by which memory may grow; 0 if there is no limit.
  std::uint64_t memory() const noexcept { return memory_; }

 private:
  std::uint64_t memory_ = 0;
  std::uint64_t seconds_ = 0;
  bool is_set_ = false;
  rlimit before_{};
};

}  // namespace perdure::cli
