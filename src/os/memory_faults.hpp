// Touches of memory that is protected, or not there: the parts of the library that watch it answer the
// SIGSEGV or SIGBUS.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>

namespace perdure::os {

/// Access that the thread attempted. `write` if the processor does not report it.
enum class touch { read, write };

/// Called in the signal handler of a thread that touched `address` in a watched range in a way that its
/// protection forbids, or where no memory is. True: the thread shall try again. Must be async-signal-safe.
using touch_admission = bool (*)(void* context, std::byte* address, touch how) noexcept;

/// Which touches a watch is asked about.
///
/// - `all`, `writes`: of protected memory (SIGSEGV). Watches of `all` are asked first, so that memory that no
/// thread may
///   see yet is not made writable by a watch that only counts writes.
/// - `missing`: of memory that is not there, or not writable yet, as userfaultfd tells it (SIGBUS). Asked
/// with all signals
///   blocked; no other watch is asked.
/// - `guarded`: of memory with guards of the kernel in it (SIGSEGV). The same, and if the answer is no, the
/// thread gets a
///   SIGBUS.
/// - `withheld`: of protected memory, asked before all others. Yes says that no other is to be asked, and
/// that the fault is
///   one of the program's.
/// - `unanswered`, `unreadable`: of any memory, by SIGSEGV or SIGBUS, after all others have said no. For
/// telling people; what
///   it answers does not count.
enum class watched_touches { all, writes, missing, guarded, withheld, unanswered, unreadable };

/// While it lives, `admit` answers such touches of [base, base + bytes); of several watches the first to say
/// yes counts. Faults that no watch answers go to the handler that was there before. At most 8192 at a time;
/// throws std::system_error.
class fault_watch {
 public:
  fault_watch(std::byte* base, std::size_t bytes, watched_touches which, touch_admission admit,
              void* context);
  fault_watch(const fault_watch&) = delete;
  fault_watch& operator=(const fault_watch&) = delete;
  ~fault_watch();

 private:
  std::size_t slot_;
};

/// For a program that sets its handler of SIGBUS or SIGSEGV after memory was watched by that signal: `wanted`
/// (unless null) becomes the handler of faults that no watch answers, `former` (unless null) gets the one
/// until now. False: no such memory was ever watched, and nothing was done.
bool exchange_fault_handler(int signal, const struct sigaction* wanted, struct sigaction* former);

}  // namespace perdure::os
