// Which call fails, and how.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/file_observer.hpp"

namespace perdure::crash {

enum class fault {
  none,
  io_error,        ///< EIO
  sync_error,      ///< EIO, of syncs only
  no_space,        ///< ENOSPC, of calls that take space
  interrupted,     ///< EINTR, then the same call works
  short_transfer,  ///< half of what was asked, to a sector
  kill_before,     ///< the process dies before the call
  kill_after,      ///< and right after it
};
const char* name_of(fault kind);

/// Counts calls and fails the `first`, and if `sticky` all after it. Thread-safe.
class fault_plan {
 public:
  fault_plan() = default;
  fault_plan(fault kind, std::uint64_t first, bool sticky) : kind_(kind), first_(first), sticky_(sticky) {}

  os::file_observer::verdict before(const os::file_call& call);
  void after();

  /// Calls counted so far, those that this kind of fault can meet.
  std::uint64_t calls() const { return calls_; }
  bool struck() const { return struck_; }
  /// From now on everything works.
  void lift() { lifted_ = true; }

 private:
  fault kind_ = fault::none;
  std::uint64_t first_ = 0;
  bool sticky_ = false;
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<bool> struck_{false};
  std::atomic<bool> lifted_{false};
};

}  // namespace perdure::crash
