// Calls about signals, in the program's way. The pager lives in a handler of SIGBUS, which must stay, and
// must not be blocked where paged memory may be touched. A program's own handler of it gets what is not the
// pager's.
#include <signal.h>

#include "os/memory_faults.hpp"
#include "pager_preload/c_library.hpp"

#define PERDURE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace perdure::pager_preload;

sigset_t with_faults(const sigset_t& mask) noexcept {
  sigset_t open = mask;
  ::sigdelset(&open, SIGBUS);
  ::sigdelset(&open, SIGSEGV);
  return open;
}

/// A program may be started with them blocked.
__attribute__((constructor)) void let_faults_in() {
  sigset_t both;
  ::sigemptyset(&both);
  ::sigaddset(&both, SIGBUS);
  ::sigaddset(&both, SIGSEGV);
  next::sigprocmask(SIG_UNBLOCK, &both, nullptr);
}

template <class Next>
int change_mask(int how, const sigset_t* wanted, sigset_t* former, Next&& next) noexcept {
  if (wanted == nullptr || how == SIG_UNBLOCK) return next(how, wanted, former);
  const sigset_t open = with_faults(*wanted);
  return next(how, &open, former);
}

}  // namespace

PERDURE_EXPORT int sigaction(int signal, const struct sigaction* wanted, struct sigaction* former) noexcept {
  try {
    if (perdure::os::exchange_fault_handler(signal, wanted, former)) return 0;
  } catch (...) {
    // No memory to keep the wanted one in: it is for nothing but real faults.
    return 0;
  }
  if (wanted == nullptr) return next::sigaction(signal, nullptr, former);
  struct sigaction open = *wanted;
  open.sa_mask = with_faults(open.sa_mask);
  return next::sigaction(signal, &open, former);
}

PERDURE_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (number != SIGBUS && number != SIGSEGV) return next::signal(number, handler);
  struct sigaction wanted {};
  wanted.sa_handler = handler;
  wanted.sa_flags = SA_RESTART;
  ::sigemptyset(&wanted.sa_mask);
  struct sigaction former {};
  return ::sigaction(number, &wanted, &former) == 0 ? former.sa_handler : SIG_ERR;
}

PERDURE_EXPORT int pthread_sigmask(int how, const sigset_t* wanted, sigset_t* former) noexcept {
  return change_mask(how, wanted, former, next::pthread_sigmask);
}

PERDURE_EXPORT int sigprocmask(int how, const sigset_t* wanted, sigset_t* former) noexcept {
  return change_mask(how, wanted, former, next::sigprocmask);
}
