// A tap on the calls this layer makes to change or make durable what is on disk.
//
// The crash rigs record the calls of a real run through it and make them fail; a tracer could print them.
// Without an observer a call costs one relaxed load and a branch that is never taken.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace perdure::os {

enum class file_operation {
  open,            ///< `descriptor` is the directory, `name` the file in it; the result is the new descriptor
  read,            ///< `offset`, `bytes`
  write,           ///< `offset`, `bytes`, `data`
  resize,          ///< `bytes` is the new size
  reserve_space,   ///< `offset`, `bytes`
  punch,           ///< `offset`, `bytes`
  sync_data,       ///< fdatasync
  sync,            ///< fsync, also of directories
  rename,          ///< `name` becomes `new_name`; both relative to `descriptor`, or paths where that is -1
  remove,          ///< `name` in `descriptor`
  make_directory,  ///< `name` is a path
  persist,         ///< `data` are parts of persistent mappings that were written to; cannot fail
};

/// One system call, about to be made or just made.
struct file_call {
  file_operation operation;
  int descriptor = -1;
  const char* name = nullptr;
  const char* new_name = nullptr;
  int flags = 0;  ///< flags of `open`
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::span<const iovec> data{};
};

/// Thread safety: called by the thread that makes the call, by several at once; where the pager has memory
/// mapped, also in signal handlers.
class file_observer {
 public:
  /// Decision about a call.
  struct verdict {
    int error = 0;  ///< other than 0: the call is not made and fails with this `errno`
    std::uint64_t at_most = std::numeric_limits<std::uint64_t>::max();  ///< bytes to transfer, at least 1
  };

  virtual ~file_observer() = default;
  virtual verdict before(const file_call& call) = 0;
  /// `result` as the system call returned it; `error` is 0 or the `errno`.
  virtual void after(const file_call& call, std::int64_t result, int error) = 0;
};

/// Puts an observer in place for the whole process, or takes it away (nullptr). The caller sees to it that
/// no call is under way in another thread.
void observe_files(file_observer* observer) noexcept;

/// The observer in place, or nullptr.
file_observer* observer_of_files() noexcept;

/// Returns whether there is an observer. Calls that are made several at a time must then be made one by one.
inline bool files_are_observed() noexcept {
  return observer_of_files() != nullptr;
}

}  // namespace perdure::os
