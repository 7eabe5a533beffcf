#include "pager_preload/c_library.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace perdure::pager_preload {

namespace kernel {

void* map(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  // A failure is -1, which is MAP_FAILED.
  return reinterpret_cast<void*>(::syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}
int unmap(void* address, std::size_t bytes) noexcept {
  return static_cast<int>(::syscall(SYS_munmap, address, bytes));
}
int advise(void* address, std::size_t bytes, int what) noexcept {
  return static_cast<int>(::syscall(SYS_madvise, address, bytes, what));
}
int protect(void* address, std::size_t bytes, int protection) noexcept {
  return static_cast<int>(::syscall(SYS_mprotect, address, bytes, protection));
}
void* remap(void* address, std::size_t bytes, std::size_t new_bytes, int flags, void* new_address) noexcept {
  return reinterpret_cast<void*>(::syscall(SYS_mremap, address, bytes, new_bytes, flags, new_address));
}
int lock(const void* address, std::size_t bytes) noexcept {
  return static_cast<int>(::syscall(SYS_mlock, address, bytes));
}
int lock(const void* address, std::size_t bytes, unsigned flags) noexcept {
  return static_cast<int>(::syscall(SYS_mlock2, address, bytes, flags));
}

}  // namespace kernel

namespace {

/// The next definition of a function, looked up at the first call: others' constructors may call before ours.
template <class Function>
class next_function {
 public:
  explicit constexpr next_function(const char* name) noexcept : name_(name) {}

  Function* get() noexcept {
    Function* known = known_.load(std::memory_order_acquire);
    if (known == nullptr) {
      known = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_));
      known_.store(known, std::memory_order_release);
    }
    return known;
  }

 private:
  const char* name_;
  std::atomic<Function*> known_{nullptr};
};

constinit next_function<decltype(next::write)> next_write{"write"};
constinit next_function<decltype(next::pwrite)> next_pwrite{"pwrite"};
constinit next_function<decltype(next::writev)> next_writev{"writev"};
constinit next_function<decltype(next::pwritev)> next_pwritev{"pwritev"};
constinit next_function<decltype(next::send)> next_send{"send"};
constinit next_function<decltype(next::sendto)> next_sendto{"sendto"};
constinit next_function<decltype(next::sendmsg)> next_sendmsg{"sendmsg"};
constinit next_function<decltype(next::fwrite)> next_fwrite{"fwrite"};
constinit next_function<decltype(next::fwrite_unlocked)> next_fwrite_unlocked{"fwrite_unlocked"};
constinit next_function<int(int, const struct sigaction*, struct sigaction*)> next_sigaction{"sigaction"};
constinit next_function<sighandler_t(int, sighandler_t)> next_signal{"signal"};
constinit next_function<int(int, const sigset_t*, sigset_t*)> next_pthread_sigmask{"pthread_sigmask"};
constinit next_function<int(int, const sigset_t*, sigset_t*)> next_sigprocmask{"sigprocmask"};
constinit next_function<decltype(next::pthread_attr_setsigmask_np)> next_pthread_attr_setsigmask_np{
    "pthread_attr_setsigmask_np"};
constinit next_function<decltype(next::sigsuspend)> next_sigsuspend{"sigsuspend"};
constinit next_function<decltype(next::ppoll)> next_ppoll{"ppoll"};
constinit next_function<decltype(next::ppoll_chk)> next_ppoll_chk{"__ppoll_chk"};
constinit next_function<decltype(next::pselect)> next_pselect{"pselect"};
constinit next_function<decltype(next::epoll_pwait)> next_epoll_pwait{"epoll_pwait"};
constinit next_function<decltype(next::epoll_pwait2)> next_epoll_pwait2{"epoll_pwait2"};

// Some of these may be called by signal handlers, which dlsym may not: the sooner it is over, the better.
__attribute__((constructor)) void look_up_all() {
  static_cast<void>(next_write.get());
  static_cast<void>(next_pwrite.get());
  static_cast<void>(next_writev.get());
  static_cast<void>(next_pwritev.get());
  static_cast<void>(next_send.get());
  static_cast<void>(next_sendto.get());
  static_cast<void>(next_sendmsg.get());
  static_cast<void>(next_fwrite.get());
  static_cast<void>(next_fwrite_unlocked.get());
  static_cast<void>(next_sigaction.get());
  static_cast<void>(next_signal.get());
  static_cast<void>(next_pthread_sigmask.get());
  static_cast<void>(next_sigprocmask.get());
  static_cast<void>(next_pthread_attr_setsigmask_np.get());
  static_cast<void>(next_sigsuspend.get());
  static_cast<void>(next_ppoll.get());
  static_cast<void>(next_ppoll_chk.get());
  static_cast<void>(next_pselect.get());
  static_cast<void>(next_epoll_pwait.get());
  static_cast<void>(next_epoll_pwait2.get());
}

}  // namespace

namespace next {

ssize_t write(int file, const void* from, std::size_t bytes) {
  return next_write.get()(file, from, bytes);
}
ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t offset) {
  return next_pwrite.get()(file, from, bytes, offset);
}
ssize_t writev(int file, const iovec* parts, int count) {
  return next_writev.get()(file, parts, count);
}
ssize_t pwritev(int file, const iovec* parts, int count, off_t offset) {
  return next_pwritev.get()(file, parts, count, offset);
}
ssize_t send(int socket, const void* from, std::size_t bytes, int flags) {
  return next_send.get()(socket, from, bytes, flags);
}
ssize_t sendto(int socket, const void* from, std::size_t bytes, int flags, const sockaddr* to,
               socklen_t to_bytes) {
  return next_sendto.get()(socket, from, bytes, flags, to, to_bytes);
}
ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  return next_sendmsg.get()(socket, message, flags);
}
std::size_t fwrite(const void* from, std::size_t bytes, std::size_t count, FILE* stream) {
  return next_fwrite.get()(from, bytes, count, stream);
}
std::size_t fwrite_unlocked(const void* from, std::size_t bytes, std::size_t count, FILE* stream) {
  return next_fwrite_unlocked.get()(from, bytes, count, stream);
}
int sigaction(int signal, const struct sigaction* wanted, struct sigaction* former) noexcept {
  return next_sigaction.get()(signal, wanted, former);
}
sighandler_t signal(int signal, sighandler_t handler) noexcept {
  return next_signal.get()(signal, handler);
}
int pthread_sigmask(int how, const sigset_t* wanted, sigset_t* former) noexcept {
  return next_pthread_sigmask.get()(how, wanted, former);
}
int sigprocmask(int how, const sigset_t* wanted, sigset_t* former) noexcept {
  return next_sigprocmask.get()(how, wanted, former);
}
int pthread_attr_setsigmask_np(pthread_attr_t* attributes, const sigset_t* wanted) {
  return next_pthread_attr_setsigmask_np.get()(attributes, wanted);
}
int sigsuspend(const sigset_t* wanted) {
  return next_sigsuspend.get()(wanted);
}
int ppoll(pollfd* files, nfds_t count, const timespec* most, const sigset_t* wanted) {
  return next_ppoll.get()(files, count, most, wanted);
}
int ppoll_chk(pollfd* files, nfds_t count, const timespec* most, const sigset_t* wanted,
              std::size_t bytes_of_files) {
  return next_ppoll_chk.get()(files, count, most, wanted, bytes_of_files);
}
int pselect(int count, fd_set* to_read, fd_set* to_write, fd_set* exceptional, const timespec* most,
            const sigset_t* wanted) {
  return next_pselect.get()(count, to_read, to_write, exceptional, most, wanted);
}
int epoll_pwait(int file, epoll_event* events, int count, int milliseconds, const sigset_t* wanted) {
  return next_epoll_pwait.get()(file, events, count, milliseconds, wanted);
}
int epoll_pwait2(int file, epoll_event* events, int count, const timespec* most, const sigset_t* wanted) {
  return next_epoll_pwait2.get()(file, events, count, most, wanted);
}

}  // namespace next
}  // namespace perdure::pager_preload

// The pager's own calls, which must not meet the functions that this library puts in the program's way: the
// linker turns calls of `mmap` in other files into calls of `__wrap_mmap`.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the linker makes up the names.
void* __wrap_mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  return perdure::pager_preload::kernel::map(address, bytes, protection, flags, file, offset);
}
int __wrap_munmap(void* address, std::size_t bytes) {
  return perdure::pager_preload::kernel::unmap(address, bytes);
}
int __wrap_madvise(void* address, std::size_t bytes, int what) {
  return perdure::pager_preload::kernel::advise(address, bytes, what);
}
int __wrap_mprotect(void* address, std::size_t bytes, int protection) {
  return perdure::pager_preload::kernel::protect(address, bytes, protection);
}
int __wrap_sigaction(int signal, const struct sigaction* wanted, struct sigaction* former) {
  return perdure::pager_preload::next::sigaction(signal, wanted, former);
}
sighandler_t __wrap_signal(int signal, sighandler_t handler) {
  return perdure::pager_preload::next::signal(signal, handler);
}
int __wrap_pthread_sigmask(int how, const sigset_t* wanted, sigset_t* former) {
  return perdure::pager_preload::next::pthread_sigmask(how, wanted, former);
}
// NOLINTEND(bugprone-reserved-identifier)
}
