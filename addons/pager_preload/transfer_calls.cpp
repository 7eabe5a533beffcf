// Calls that hand memory to the kernel, in the program's way: the kernel cannot wait for the pager, and would
// answer EFAULT. What lies in a paged mapping is copied first, which brings it in.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <span>

#include "pager_preload/c_library.hpp"
#include "pager_preload/paged_mappings.hpp"

#define PERDURE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace perdure::pager_preload;

constexpr std::size_t most_at_once = std::size_t{1} << 20;

/// Memory for a copy, at a page. Not from malloc: `write` may be called by signal handlers.
class copy_buffer {
 public:
  explicit copy_buffer(std::size_t bytes) noexcept
      : bytes_(std::clamp<std::size_t>(bytes, 1, most_at_once)),
        base_(kernel::map(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  copy_buffer(const copy_buffer&) = delete;
  copy_buffer& operator=(const copy_buffer&) = delete;
  ~copy_buffer() {
    if (*this) kernel::unmap(base_, bytes_);
  }
  explicit operator bool() const noexcept { return base_ != MAP_FAILED; }
  std::byte* base() const noexcept { return static_cast<std::byte*>(base_); }
  std::size_t size() const noexcept { return bytes_; }

 private:
  std::size_t bytes_;
  void* base_;
};

/// Goes through parts of memory as if they were one.
class gatherer {
 public:
  explicit gatherer(std::span<const iovec> parts) noexcept : parts_(parts) {}

  std::size_t fill(std::byte* to, std::size_t room) noexcept {
    std::size_t done = 0;
    while (done < room && !parts_.empty()) {
      const iovec& part = parts_.front();
      const std::size_t take = std::min(room - done, part.iov_len - within_);
      if (take != 0) ::memcpy(to + done, static_cast<const std::byte*>(part.iov_base) + within_, take);
      done += take;
      within_ += take;
      if (within_ == part.iov_len) {
        parts_ = parts_.subspan(1);
        within_ = 0;
      }
    }
    return done;
  }

 private:
  std::span<const iovec> parts_;
  std::size_t within_ = 0;
};

/// The bytes of all parts; SSIZE_MAX where they are more than that, which the kernel refuses.
std::size_t total(std::span<const iovec> parts) noexcept {
  constexpr std::size_t most = std::numeric_limits<ssize_t>::max();
  std::size_t sum = 0;
  for (const iovec& part : parts) {
    if (part.iov_len > most - sum) return most;
    sum += part.iov_len;
  }
  return sum;
}

bool any_is_paged(std::span<const iovec> parts) noexcept {
  return std::any_of(parts.begin(), parts.end(),
                     [](const iovec& part) { return is_paged(part.iov_base, part.iov_len); });
}

/// `once(from, bytes, done)` is the call for one part. As a call for all would, unless it is interrupted: it
/// ends at a part that was cut short.
template <class Once>
ssize_t in_copies(std::span<const iovec> parts, Once&& once) {
  std::size_t left = total(parts);
  const copy_buffer copy(left);
  if (!copy) return -1;  // ENOMEM
  gatherer from(parts);
  ssize_t done = 0;
  do {
    const std::size_t bytes = from.fill(copy.base(), std::min(left, copy.size()));
    const ssize_t moved = once(copy.base(), bytes, done);
    if (moved < 0) return done != 0 ? done : -1;
    done += moved;
    left -= bytes;
    if (static_cast<std::size_t>(moved) != bytes) break;
  } while (left != 0);
  return done;
}

template <class Once>
std::size_t write_items(const void* from, std::size_t bytes, std::size_t count, Once&& once) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(bytes, count, &all)) all = std::numeric_limits<std::size_t>::max();
  if (all == 0 || !is_paged(from, all)) return once(from, bytes, count);
  const iovec part{const_cast<void*>(from), all};
  const ssize_t done = in_copies({&part, 1}, [&](const std::byte* copy, std::size_t size, ssize_t) {
    return static_cast<ssize_t>(once(copy, 1, size));
  });
  return done < 0 ? 0 : static_cast<std::size_t>(done) / bytes;
}

}  // namespace

PERDURE_EXPORT ssize_t write(int file, const void* from, size_t bytes) {
  if (!is_paged(from, bytes)) return next::write(file, from, bytes);
  const iovec part{const_cast<void*>(from), bytes};
  return in_copies(
      {&part, 1}, [&](const void* copy, std::size_t size, ssize_t) { return next::write(file, copy, size); });
}

PERDURE_EXPORT ssize_t pwrite(int file, const void* from, size_t bytes, off_t offset) {
  if (!is_paged(from, bytes)) return next::pwrite(file, from, bytes, offset);
  const iovec part{const_cast<void*>(from), bytes};
  return in_copies({&part, 1}, [&](const void* copy, std::size_t size, ssize_t done) {
    return next::pwrite(file, copy, size, offset + done);
  });
}

PERDURE_EXPORT ssize_t pwrite64(int file, const void* from, size_t bytes, off64_t offset) {
  return pwrite(file, from, bytes, offset);
}

PERDURE_EXPORT ssize_t writev(int file, const iovec* parts, int count) {
  const std::span<const iovec> all(parts, count > 0 ? static_cast<std::size_t>(count) : 0);
  if (!any_is_paged(all)) return next::writev(file, parts, count);
  return in_copies(
      all, [&](const void* copy, std::size_t size, ssize_t) { return next::write(file, copy, size); });
}

PERDURE_EXPORT ssize_t pwritev(int file, const iovec* parts, int count, off_t offset) {
  const std::span<const iovec> all(parts, count > 0 ? static_cast<std::size_t>(count) : 0);
  if (!any_is_paged(all)) return next::pwritev(file, parts, count, offset);
  return in_copies(all, [&](const void* copy, std::size_t size, ssize_t done) {
    return next::pwrite(file, copy, size, offset + done);
  });
}

PERDURE_EXPORT ssize_t pwritev64(int file, const iovec* parts, int count, off64_t offset) {
  return pwritev(file, parts, count, offset);
}

// A datagram is never longer than a copy may be: a longer one is refused by the kernel in either case.
PERDURE_EXPORT ssize_t send(int socket, const void* from, size_t bytes, int flags) {
  if (!is_paged(from, bytes)) return next::send(socket, from, bytes, flags);
  const iovec part{const_cast<void*>(from), bytes};
  return in_copies({&part, 1}, [&](const void* copy, std::size_t size, ssize_t) {
    return next::send(socket, copy, size, flags);
  });
}

PERDURE_EXPORT ssize_t sendto(int socket, const void* from, size_t bytes, int flags, const sockaddr* to,
                              socklen_t to_bytes) {
  if (!is_paged(from, bytes)) return next::sendto(socket, from, bytes, flags, to, to_bytes);
  const iovec part{const_cast<void*>(from), bytes};
  return in_copies({&part, 1}, [&](const void* copy, std::size_t size, ssize_t) {
    return next::sendto(socket, copy, size, flags, to, to_bytes);
  });
}

PERDURE_EXPORT ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  const std::span<const iovec> all(message->msg_iov, message->msg_iovlen);
  if (!any_is_paged(all)) return next::sendmsg(socket, message, flags);
  return in_copies(all, [&](std::byte* copy, std::size_t size, ssize_t done) {
    iovec part{copy, size};
    msghdr one = *message;
    one.msg_iov = &part;
    one.msg_iovlen = 1;
    if (done != 0) one.msg_control = nullptr, one.msg_controllen = 0;
    return next::sendmsg(socket, &one, flags);
  });
}

PERDURE_EXPORT size_t fwrite(const void* from, size_t bytes, size_t count, FILE* stream) {
  return write_items(from, bytes, count, [&](const void* part, std::size_t size, std::size_t items) {
    return next::fwrite(part, size, items, stream);
  });
}

PERDURE_EXPORT size_t fwrite_unlocked(const void* from, size_t bytes, size_t count, FILE* stream) {
  return write_items(from, bytes, count, [&](const void* part, std::size_t size, std::size_t items) {
    return next::fwrite_unlocked(part, size, items, stream);
  });
}
