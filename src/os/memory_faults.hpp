// Touches of memory that is protected, or not there: who is told of the SIGSEGV or SIGBUS.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>

namespace perdure::os {

/// What the thread was about to do. Where the processor does not tell, a store.
enum class touch { read, write };

/// Called in the signal handler of a thread that touched `address` in a watched range in a way that its
/// protection forbids, or that is not there. True: the thread shall try again. Must be async-signal-safe.
using touch_admission = bool (*)(void* context, std::byte* address, touch how) noexcept;

/// Which touches a watch is asked about. Of protected memory (SIGSEGV) those asked about all come first, so
/// that memory that nobody may see yet is not made writable by those that only count stores. Of memory that
/// is not there, or not writable yet, as userfaultfd tells it (SIGBUS), nothing but `missing` is asked; it is
/// asked with all signals blocked. The same goes for `guarded`, memory with guards of the kernel in it
/// (SIGSEGV); if the answer is no, the thread gets a SIGBUS. `withheld` comes before all others of protected
/// memory: yes says that nobody is to be asked, and the touch is nobody's.
enum class watched_touches { all, writes, missing, guarded, withheld };

/// While it lives, such touches of [base, base + bytes) are answered by `admit`; of several watches the
/// first to say yes counts. Faults that are nobody's go to the handler that was there before. At most 4096 at
/// a time; throws std::system_error.
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
/// (unless null) becomes the one for faults that are nobody's, `former` (unless null) is the one until now.
/// False: no such memory was ever watched, and nothing was done.
bool exchange_fault_handler(int signal, const struct sigaction* wanted, struct sigaction* former);

}  // namespace perdure::os
