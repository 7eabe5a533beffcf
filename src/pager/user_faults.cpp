// The tier `uffd_sigbus`: answers touches by userfaultfd.
#include "pager/user_faults.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "os/mapping.hpp"
#include "os/system_error.hpp"
#include "pager/page_source.hpp"

namespace perdure::pager::detail {

namespace {

constexpr int user_mode_only = 1;  // UFFD_USER_MODE_ONLY: needs no privilege

}  // namespace

user_faults::user_faults()
    : descriptor_(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | user_mode_only)),
                  "userfaultfd") {
  if (!descriptor_) os::throw_errno("userfaultfd", "");
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = UFFD_FEATURE_SIGBUS;
  if (::ioctl(descriptor_.descriptor(), UFFDIO_API, &api) != 0) os::throw_errno("UFFDIO_API", "");
}

void user_faults::watch(std::byte* base, std::size_t bytes, bool is_writable) {
  os::map_anonymous(base, bytes, is_writable ? os::access::read_write : os::access::read);
  os::prefer_small_pages(base, bytes);
  if (::madvise(base, bytes, MADV_DONTFORK) != 0) os::throw_errno("madvise", "MADV_DONTFORK");
  uffdio_register range{};
  range.range.start = reinterpret_cast<std::uintptr_t>(base);
  range.range.len = bytes;
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  if (is_writable) range.mode |= UFFDIO_REGISTER_MODE_WP;
  if (::ioctl(descriptor_.descriptor(), UFFDIO_REGISTER, &range) != 0) os::throw_errno("UFFDIO_REGISTER", "");
  // Kernels before 6.13 let a process call process_madvise(2) with this advice for other processes only.
  self_ = os::file(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)), "pidfd");
  if (!self_) return;
  // One page is enough to find out; of more than 2 GiB the kernel would do a part.
  const iovec nothing_yet{base, page_size};
  drops_in_batches_ = ::syscall(SYS_process_madvise, self_.descriptor(), &nothing_yet, 1, MADV_DONTNEED, 0) ==
                      static_cast<long>(page_size);
}

int user_faults::install(std::byte* at, const std::byte* from, std::size_t bytes,
                         bool is_protected) const noexcept {
  const int failed = copy(at, from, bytes, is_protected);
  if (failed != EEXIST) return failed;
  // No page that the pager has installed is there. Whatever else made it, the file's bytes are what belongs
  // there.
  ::madvise(at, bytes, MADV_DONTNEED);
  return copy(at, from, bytes, is_protected);
}

void user_faults::drop(std::span<const iovec> parts) const noexcept {
  // One call, so that the kernel interrupts the other processors once, to flush their TLBs.
  if (drops_in_batches_ && parts.size() > 1) {
    std::size_t bytes = 0;
    for (const iovec& part : parts) bytes += part.iov_len;
    if (::syscall(SYS_process_madvise, self_.descriptor(), parts.data(), parts.size(), MADV_DONTNEED, 0) ==
        static_cast<long>(bytes))
      return;
  }
  for (const iovec& part : parts) ::madvise(part.iov_base, part.iov_len, MADV_DONTNEED);
}

int user_faults::copy(std::byte* at, const std::byte* from, std::size_t bytes,
                      bool is_protected) const noexcept {
  while (bytes != 0) {
    uffdio_copy copy{};
    copy.dst = reinterpret_cast<std::uintptr_t>(at);
    copy.src = reinterpret_cast<std::uintptr_t>(from);
    copy.len = bytes;
    if (is_protected) copy.mode = UFFDIO_COPY_MODE_WP;
    if (::ioctl(descriptor_.descriptor(), UFFDIO_COPY, &copy) == 0) return 0;
    // The memory map is changing, as in a fork: ask again for what is left.
    if (errno != EAGAIN && errno != EINTR) return errno;
    if (copy.copy > 0) {
      at += copy.copy;
      from += copy.copy;
      bytes -= static_cast<std::size_t>(copy.copy);
    }
  }
  return 0;
}

int user_faults::protect(std::byte* at, std::size_t bytes, bool is_protected) const noexcept {
  uffdio_writeprotect range{};
  range.range.start = reinterpret_cast<std::uintptr_t>(at);
  range.range.len = bytes;
  if (is_protected) range.mode = UFFDIO_WRITEPROTECT_MODE_WP;
  while (::ioctl(descriptor_.descriptor(), UFFDIO_WRITEPROTECT, &range) != 0) {
    if (errno != EAGAIN && errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace perdure::pager::detail
