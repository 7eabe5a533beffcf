// Sends the calling thread the SIGBUS of memory that cannot be had.
#include "os/bus_error.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace perdure::os {

void raise_bus_error(void* address) noexcept {
  sigset_t only;
  sigset_t before;
  ::sigemptyset(&only);
  ::sigaddset(&only, SIGBUS);
  ::pthread_sigmask(SIG_UNBLOCK, &only, &before);
  struct sigaction action {};
  ::sigaction(SIGBUS, nullptr, &action);
  const bool is_ignored = (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN;
  if (is_ignored || ::sigismember(&before, SIGBUS) == 1) ::signal(SIGBUS, SIG_DFL);
  siginfo_t info{};
  info.si_signo = SIGBUS;
  info.si_code = BUS_OBJERR;
  info.si_addr = address;
  ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::syscall(SYS_gettid), SIGBUS, &info);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace perdure::os
