// Keeps signal handlers away for a while.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace perdure::os {

/// While it lives, no signal is delivered to the thread. For what must not be interrupted by a handler that
/// would want the same thing, and for starting threads that shall run no handlers of the program.
class signals_blocked {
 public:
  signals_blocked() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;
  ~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace perdure::os
