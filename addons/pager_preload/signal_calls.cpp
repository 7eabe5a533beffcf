// Calls about signals, in the program's way. The pager lives in a handler of SIGBUS, which must stay, and
// must not be blocked where paged memory may be touched. A program's own handler of it gets what is not the
// pager's.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <cerrno>

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

int set_action(int signal, const struct sigaction* wanted, struct sigaction* former) noexcept {
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

/// Installs a handler that runs with no signal blocked.
sighandler_t set_handler(int number, sighandler_t handler, int flags) noexcept {
  struct sigaction wanted {};
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  ::sigemptyset(&wanted.sa_mask);
  struct sigaction former {};
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  return set_action(number, &wanted, &former) == 0 ? former.sa_handler : SIG_ERR;
}

/// Changes the signal mask in BSD's form: bit 0 is signal 1, and there are 32.
int change_mask_of_bits(int how, int bits) noexcept {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (int number = 1; number <= 32; ++number)
    if ((static_cast<unsigned>(bits) >> (number - 1) & 1) != 0) ::sigaddset(&wanted, number);
  sigset_t former;
  if (change_mask(how, &wanted, &former, next::sigprocmask) != 0) return -1;
  unsigned before = 0;
  for (int number = 1; number <= 32; ++number)
    if (::sigismember(&former, number) == 1) before |= 1U << (number - 1);
  return static_cast<int>(before);
}

/// A mask that a thread is to wait or begin with; null stays null.
class open_mask {
 public:
  explicit open_mask(const sigset_t* wanted) noexcept : is_there_(wanted != nullptr) {
    if (is_there_) open_ = with_faults(*wanted);
  }
  const sigset_t* get() const noexcept { return is_there_ ? &open_ : nullptr; }

 private:
  bool is_there_;
  sigset_t open_{};
};

}  // namespace

PERDURE_EXPORT int sigaction(int signal, const struct sigaction* wanted, struct sigaction* former) noexcept {
  return set_action(signal, wanted, former);
}

PERDURE_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (number != SIGBUS && number != SIGSEGV) return next::signal(number, handler);
  return set_handler(number, handler, SA_RESTART);
}

PERDURE_EXPORT sighandler_t ssignal(int number, sighandler_t handler) noexcept {
  return signal(number, handler);
}

PERDURE_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
  return signal(number, handler);
}

// As System V had it: for one signal.
PERDURE_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
  return set_handler(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}

// What `signal` is called where programs are compiled for X/Open.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is the C library's.
PERDURE_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  return sysv_signal(number, handler);
}

PERDURE_EXPORT int sigignore(int number) noexcept {
  return set_handler(number, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

PERDURE_EXPORT int sighold(int number) noexcept {
  sigset_t one;
  ::sigemptyset(&one);
  if (::sigaddset(&one, number) != 0) return -1;
  return change_mask(SIG_BLOCK, &one, nullptr, next::sigprocmask);
}

PERDURE_EXPORT sighandler_t sigset(int number, sighandler_t handler) noexcept {
  sigset_t one;
  sigset_t former;
  ::sigemptyset(&one);
  if (::sigaddset(&one, number) != 0) return SIG_ERR;
  if (handler == SIG_HOLD) {
    struct sigaction there {};
    if (set_action(number, nullptr, &there) != 0 ||
        change_mask(SIG_BLOCK, &one, &former, next::sigprocmask) != 0)
      return SIG_ERR;
    return ::sigismember(&former, number) == 1 ? SIG_HOLD : there.sa_handler;
  }
  sighandler_t const there = set_handler(number, handler, 0);
  if (there == SIG_ERR || next::sigprocmask(SIG_UNBLOCK, &one, &former) != 0) return SIG_ERR;
  return ::sigismember(&former, number) == 1 ? SIG_HOLD : there;
}

PERDURE_EXPORT int pthread_sigmask(int how, const sigset_t* wanted, sigset_t* former) noexcept {
  return change_mask(how, wanted, former, next::pthread_sigmask);
}

PERDURE_EXPORT int sigprocmask(int how, const sigset_t* wanted, sigset_t* former) noexcept {
  return change_mask(how, wanted, former, next::sigprocmask);
}

PERDURE_EXPORT int sigblock(int bits) noexcept {
  return change_mask_of_bits(SIG_BLOCK, bits);
}

PERDURE_EXPORT int sigsetmask(int bits) noexcept {
  return change_mask_of_bits(SIG_SETMASK, bits);
}

PERDURE_EXPORT int pthread_attr_setsigmask_np(pthread_attr_t* attributes, const sigset_t* wanted) {
  return next::pthread_attr_setsigmask_np(attributes, open_mask(wanted).get());
}

PERDURE_EXPORT int sigsuspend(const sigset_t* wanted) {
  return next::sigsuspend(open_mask(wanted).get());
}

PERDURE_EXPORT int ppoll(pollfd* files, nfds_t count, const timespec* most, const sigset_t* wanted) {
  return next::ppoll(files, count, most, open_mask(wanted).get());
}

// What `ppoll` is called where programs are compiled with _FORTIFY_SOURCE.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
PERDURE_EXPORT int __ppoll_chk(pollfd* files, nfds_t count, const timespec* most, const sigset_t* wanted,
                               size_t bytes_of_files) {
  return next::ppoll_chk(files, count, most, open_mask(wanted).get(), bytes_of_files);
}

PERDURE_EXPORT int pselect(int count, fd_set* to_read, fd_set* to_write, fd_set* exceptional,
                           const timespec* most, const sigset_t* wanted) {
  return next::pselect(count, to_read, to_write, exceptional, most, open_mask(wanted).get());
}

PERDURE_EXPORT int epoll_pwait(int file, epoll_event* events, int count, int milliseconds,
                               const sigset_t* wanted) {
  return next::epoll_pwait(file, events, count, milliseconds, open_mask(wanted).get());
}

PERDURE_EXPORT int epoll_pwait2(int file, epoll_event* events, int count, const timespec* most,
                                const sigset_t* wanted) {
  return next::epoll_pwait2(file, events, count, most, open_mask(wanted).get());
}
