// The original functions of the C library and the kernel that this library replaces.
#pragma once

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>

namespace perdure::pager_preload {

/// The kernel's calls; -1 or MAP_FAILED with errno. Async-signal-safe.
namespace kernel {
void* map(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept;
int unmap(void* address, std::size_t bytes) noexcept;
int advise(void* address, std::size_t bytes, int what) noexcept;
int protect(void* address, std::size_t bytes, int protection) noexcept;
void* remap(void* address, std::size_t bytes, std::size_t new_bytes, int flags, void* new_address) noexcept;
int lock(const void* address, std::size_t bytes) noexcept;
int lock(const void* address, std::size_t bytes, unsigned flags) noexcept;
}  // namespace kernel

/// The functions of the C library, or of the next library that was preloaded. Not noexcept: those that may
/// wait are cancellation points.
namespace next {
ssize_t write(int file, const void* from, std::size_t bytes);
ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t offset);
ssize_t writev(int file, const iovec* parts, int count);
ssize_t pwritev(int file, const iovec* parts, int count, off_t offset);
ssize_t send(int socket, const void* from, std::size_t bytes, int flags);
ssize_t sendto(int socket, const void* from, std::size_t bytes, int flags, const sockaddr* to,
               socklen_t to_bytes);
ssize_t sendmsg(int socket, const msghdr* message, int flags);
std::size_t fwrite(const void* from, std::size_t bytes, std::size_t count, FILE* stream);
std::size_t fwrite_unlocked(const void* from, std::size_t bytes, std::size_t count, FILE* stream);
int sigaction(int signal, const struct sigaction* wanted, struct sigaction* former) noexcept;
sighandler_t signal(int signal, sighandler_t handler) noexcept;
int pthread_sigmask(int how, const sigset_t* wanted, sigset_t* former) noexcept;
int sigprocmask(int how, const sigset_t* wanted, sigset_t* former) noexcept;
int pthread_attr_setsigmask_np(pthread_attr_t* attributes, const sigset_t* wanted);
int sigsuspend(const sigset_t* wanted);
int ppoll(pollfd* files, nfds_t count, const timespec* most, const sigset_t* wanted);
int ppoll_chk(pollfd* files, nfds_t count, const timespec* most, const sigset_t* wanted,
              std::size_t bytes_of_files);
int pselect(int count, fd_set* to_read, fd_set* to_write, fd_set* exceptional, const timespec* most,
            const sigset_t* wanted);
int epoll_pwait(int file, epoll_event* events, int count, int milliseconds, const sigset_t* wanted);
int epoll_pwait2(int file, epoll_event* events, int count, const timespec* most, const sigset_t* wanted);
}  // namespace next

}  // namespace perdure::pager_preload
