// The tier `guard`: answers touches by guard regions over a file in memory.
#include "pager/guard_faults.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "os/system_error.hpp"

namespace perdure::pager::detail {

namespace {

constexpr int guard_install = 102;  // MADV_GUARD_INSTALL
constexpr int guard_remove = 103;   // MADV_GUARD_REMOVE

int advise(void* at, std::size_t bytes, int what) noexcept {
  while (::madvise(at, bytes, what) != 0)
    if (errno != EINTR && errno != EAGAIN) return errno;
  return 0;
}

}  // namespace

/// A call that changes the range is inside one of these; once the range is stopped, none gets in.
class guard_faults::passage {
 public:
  explicit passage(const guard_faults& of) noexcept : of_(of) {
    of_.inside_.fetch_add(1);
    is_open_ = !of_.is_stopped_.load();
  }
  passage(const passage&) = delete;
  passage& operator=(const passage&) = delete;
  ~passage() { of_.inside_.fetch_sub(1); }
  explicit operator bool() const noexcept { return is_open_; }

 private:
  const guard_faults& of_;
  bool is_open_;
};

guard_faults::guard_faults() : memory_(::memfd_create("perdure-pager", MFD_CLOEXEC), "memfd") {
  if (!memory_) os::throw_errno("memfd_create", "");
}

void guard_faults::watch(std::byte* base, std::size_t bytes, bool is_writable) {
  memory_.resize(bytes);
  base_ = base;
  os::map_shared(base, bytes, memory_.descriptor(), 0,
                 is_writable ? os::access::read_write : os::access::read);
  os::prefer_small_pages(base, bytes);
  if (::madvise(base, bytes, MADV_DONTFORK) != 0) os::throw_errno("madvise", "MADV_DONTFORK");
  if (const int failed = advise(base, bytes, guard_install); failed != 0)
    os::throw_errno("madvise", "MADV_GUARD_INSTALL", failed);
  if (is_writable) make_alias(bytes);
  self_ = os::file(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)), "pidfd");
}

// The second mapping, where protected pages can be read. It has guards too, for two reasons. The kernel maps
// the neighbours of a page that is touched, unless they are guarded. And a page that is mapped anywhere while
// it leaves the file in memory loses its guard in all mappings, so that the thread that touches it next would
// see zeros. So at most one of the two mappings of a page is open, and none while the page leaves.
void guard_faults::make_alias(std::size_t bytes) {
  is_writable_ = true;
  alias_ = os::reservation(bytes, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  // A forked child has this mapping too, and unmaps it when it destroys what it has inherited.
  os::map_shared(alias_.base(), bytes, memory_.descriptor(), 0, os::access::read);
  os::prefer_small_pages(alias_.base(), bytes);
  if (const int failed = advise(alias_.base(), bytes, guard_install); failed != 0)
    os::throw_errno("madvise", "MADV_GUARD_INSTALL", failed);
}

int guard_faults::install(std::byte* at, const std::byte* from, std::size_t bytes,
                          bool is_protected) const noexcept {
  const passage open(*this);
  if (!open) return ENOENT;
  for (std::size_t done = 0; done < bytes;) {
    // Not pwrite(2) of the C library, which is a cancellation point, nor os::file, whose observers are to see
    // transfers to a disk only.
    const long put = ::syscall(SYS_pwrite64, memory_.descriptor(), from + done, bytes - done,
                               (at - base_) + static_cast<std::ptrdiff_t>(done));
    if (put < 0 && errno != EINTR) return errno;
    if (put > 0) done += static_cast<std::size_t>(put);
  }
  return is_protected ? 0 : advise(at, bytes, guard_remove);
}

int guard_faults::protect(std::byte* at, std::size_t bytes, bool is_protected) const noexcept {
  const passage open(*this);
  if (!open) return ENOENT;
  std::byte* const first = is_protected ? at : content(at);
  std::byte* const second = is_protected ? content(at) : at;
  // Never both open: no thread may change what is being written to disk.
  if (const int failed = advise(first, bytes, guard_install); failed != 0) return failed;
  return advise(second, bytes, guard_remove);
}

void guard_faults::drop(std::span<const iovec> parts) const noexcept {
  const passage open(*this);
  if (!open) return;
  std::size_t bytes = 0;
  for (const iovec& part : parts) bytes += part.iov_len;
  const bool is_done = parts.size() > 1 && self_ &&
                       ::syscall(SYS_process_madvise, self_.descriptor(), parts.data(), parts.size(),
                                 guard_install, 0) == static_cast<long>(bytes);
  for (const iovec& part : parts) {
    auto* const at = static_cast<std::byte*>(part.iov_base);
    if (!is_done) advise(at, part.iov_len, guard_install);
    // Rather keep the memory than lose the guard.
    if (is_writable_ && advise(content(at), part.iov_len, guard_install) != 0) continue;
    // The C library's function is a cancellation point.
    ::syscall(SYS_fallocate, memory_.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at - base_,
              part.iov_len);
  }
}

void guard_faults::stop() noexcept {
  is_stopped_.store(true);
  while (inside_.load() != 0) ::sched_yield();
}

void guard_faults::go_on() noexcept {
  is_stopped_.store(false);
}

}  // namespace perdure::pager::detail
