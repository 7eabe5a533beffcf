// The process that owns something, which a forked child finds again in its copy of the memory and must leave
// alone.
#pragma once

#include <cstdint>

namespace perdure::base {

/// Returns a number other than 0 that the calling process keeps, and that no process has from which it was
/// forked. After the first call in a process it costs two reads of memory, where getpid(2) is a system call.
/// Processes that share their memory (vfork) have the same number. Async-signal-safe.
std::uint32_t this_process() noexcept;

/// Owner of an object: the process that made it. As large as a process number, so it fits into an atomic, and
/// zero bytes are `nobody`.
class owner_process {
 public:
  /// The calling process.
  owner_process() noexcept : number_(this_process()) {}
  static constexpr owner_process nobody() noexcept { return owner_process(0); }

  /// Returns whether the calling process is the owner. False in a forked child of the owner.
  /// Async-signal-safe.
  bool is_here() const noexcept { return number_ == this_process(); }
  bool is_nobody() const noexcept { return number_ == 0; }
  bool operator==(const owner_process&) const = default;

 private:
  explicit constexpr owner_process(std::uint32_t number) noexcept : number_(number) {}

  std::uint32_t number_;
};

}  // namespace perdure::base
