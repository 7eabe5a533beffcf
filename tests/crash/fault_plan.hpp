// Which call fails, and how.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "crash/unsynced_pages.hpp"
#include "os/file_observer.hpp"

namespace perdure::crash {

enum class fault {
  none,
  io_error,        ///< EIO
  sync_error,      ///< EIO, of syncs only
  no_space,        ///< ENOSPC, of calls that take space
  interrupted,     ///< EINTR, then the same call works
  short_transfer,  ///< half of what was asked, to a sector
  write_back,      ///< what was written to a file before is lost, and the next sync of it fails with EIO
  kill_before,     ///< the process dies before the call
  kill_after,      ///< and right after it
};
const char* name_of(fault kind);

/// Whether the call is on an open file whose name begins with `prefix`.
bool is_on(const os::file_call& call, std::string_view prefix);

/// Counts calls and fails the `first`, and if `sticky` all after it. Thread-safe.
class fault_plan {
 public:
  fault_plan() = default;
  /// Only calls on files whose names begin with `in` count, where that is not empty.
  fault_plan(fault kind, std::uint64_t first, bool sticky, std::string in = {})
      : kind_(kind), first_(first), sticky_(sticky), in_(std::move(in)) {}

  os::file_observer::verdict before(const os::file_call& call);
  void after(const os::file_call& call, int error);
  /// The pages of a call's file that were lost before it, in this thread's last `before`.
  static const unsynced_pages::pages& lost_before_call();

  /// Calls counted so far, those that this kind of fault can meet.
  std::uint64_t calls() const { return calls_; }
  bool struck() const { return struck_; }
  /// Files may come to read as they did before.
  bool loses_pages() const { return kind_ == fault::write_back; }
  /// From now on everything works.
  void lift() {
    lifted_ = true;
    lost_some_ = 0;
  }

 private:
  void note_write_back(const os::file_call& call);

  fault kind_ = fault::none;
  std::uint64_t first_ = 0;
  bool sticky_ = false;
  std::string in_;
  unsynced_pages unsynced_;          // where it is write-back that fails
  std::atomic<ino_t> lost_some_{0};  // the file whose next sync tells
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<bool> struck_{false};
  std::atomic<bool> lifted_{false};
};

}  // namespace perdure::crash
