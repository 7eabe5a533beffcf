// Keeps signal handlers away for a while.
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace perdure::base {

/// The kernel's set of signals: bit 0 is signal 1.
using kernel_signals = std::uint64_t;

/// The signal by which the C library cancels threads. Its handler may unwind the stack from where the thread
/// is, and not return; and the C library's own functions leave it out of every set.
inline constexpr kernel_signals cancelling_signal = kernel_signals{1} << 31;

/// Every signal, the cancelling one too, but not the one after it: by that one `setuid` and the like make
/// every thread do something, and wait for each.
inline constexpr kernel_signals all_signals = ~(cancelling_signal << 1);

/// Sets which signals are blocked for this thread, and returns those that were blocked until now.
/// Async-signal-safe, and keeps `errno`.
inline kernel_signals block_only(kernel_signals wanted) noexcept {
  kernel_signals before = 0;
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &wanted, &before, sizeof wanted);
  return before;
}

/// While it lives, no signal is delivered to the thread, nor is it cancelled. For code that would wait for
/// itself if a handler interrupted it, and for starting threads that shall run no handlers of the program.
class signals_blocked {
 public:
  signals_blocked() noexcept : before_(block_only(all_signals)) {}
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;
  ~signals_blocked() { block_only(before_); }

 private:
  kernel_signals before_;
};

}  // namespace perdure::base
