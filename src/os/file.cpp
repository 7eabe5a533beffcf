// Files and directories by system calls, which an observer may see and let fail.
#include "os/file.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <fstream>
#include <utility>
#include <vector>

#include "base/file_size_limit.hpp"
#include "os/directory_names.hpp"
#include "os/file_observer.hpp"
#include "os/system_error.hpp"

namespace perdure::os {

namespace {

constexpr mode_t new_file_mode = 0600;
constexpr mode_t new_directory_mode = 0700;

// Linux transfers at most about this much in one call; larger counts come back short.
constexpr std::size_t largest_transfer = std::size_t{1} << 30;

std::atomic<file_observer*> observer_of_all{nullptr};

// Every system call on a file goes through here. `make` does the call, transferring no more bytes than it
// is given, and returns what it returned.
template <class Make>
[[gnu::always_inline]] inline auto observed(const file_call& call, Make&& make) {
  file_observer* const observer = observer_of_all.load(std::memory_order_acquire);
  if (observer == nullptr) [[likely]]
    return make(call.bytes);
  const file_observer::verdict verdict = observer->before(call);
  decltype(make(call.bytes)) result = -1;
  errno = verdict.error;
  if (verdict.error == 0) result = make(std::min(call.bytes, verdict.at_most));
  const int error = result < 0 ? errno : 0;
  observer->after(call, static_cast<std::int64_t>(result), error);
  errno = error;
  return result;
}

// The same for a call that writes at the call's offset.
template <class Make>
[[gnu::always_inline]] inline auto observed_write(const file_call& call, Make&& make) {
  return observed(call, [&](std::uint64_t most) -> decltype(make(most)) {
    return base::is_beyond_file_size_limit(call.offset) ? -1 : make(most);
  });
}

// The limit does not concern files that become shorter, which are only asked for if it would refuse.
int ftruncate_within_limit(int descriptor, std::uint64_t bytes) noexcept {
  struct stat status;
  if (bytes != 0 && base::is_beyond_file_size_limit(bytes - 1) &&
      (::fstat(descriptor, &status) != 0 || static_cast<std::uint64_t>(status.st_size) < bytes)) {
    errno = EFBIG;
    return -1;
  }
  return ::ftruncate(descriptor, static_cast<off_t>(bytes));
}

int open_unobserved(int directory, const char* name, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.mode = (flags & O_CREAT) != 0 ? new_file_mode : 0;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
  long descriptor;
  do {
    descriptor = ::syscall(SYS_openat2, directory, name, &how, sizeof how);
  } while (descriptor < 0 && errno == EAGAIN);
  if (descriptor >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(descriptor);
  // For old kernels, and sandboxes that filter openat2. Names here have no slash, so the last component is
  // the only one and O_NOFOLLOW says the same.
  return ::openat(directory, name, flags | O_NOFOLLOW, new_file_mode);
}

int open_without_symlinks(int directory, const char* name, int flags) {
  int descriptor;
  do {
    descriptor =
        observed({.operation = file_operation::open, .descriptor = directory, .name = name, .flags = flags},
                 [&](std::uint64_t) { return open_unobserved(directory, name, flags); });
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

// Never replaces what has the name already.
struct flock lock_of(lock_mode mode, lock_range range) {
  struct flock lock {};
  lock.l_type = static_cast<short>(mode == lock_mode::exclusive ? F_WRLCK : F_RDLCK);
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(range.first);
  lock.l_len = static_cast<off_t>(range.bytes);
  return lock;
}

}  // namespace

void observe_files(file_observer* observer) noexcept {
  observer_of_all.store(observer);
}

file_observer* observer_of_files() noexcept {
  return observer_of_all.load(std::memory_order_acquire);
}

process_identity this_process() {
  process_identity self;
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) == 0) self.host = host;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> self.boot_id;
  self.pid = ::getpid();
  return self;
}

file::file(file&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

file& file::operator=(file&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

file::~file() {
  close();
}

void file::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

file file::open_directory(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw_errno("open", path.string());
  return file(descriptor, path);
}

file file::open_in(const file& directory, const std::string& name, int flags) {
  file opened = open_if_there(directory, name, flags);
  if (!opened) throw_errno("open", (directory.path() / name).string(), ENOENT);
  return opened;
}

file file::open_if_there(const file& directory, const std::string& name, int flags) {
  // O_NONBLOCK matters to what is refused below only.
  const int descriptor =
      open_without_symlinks(directory.descriptor(), name.c_str(), flags | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0 && errno == ENOENT) return {};
  const std::filesystem::path path = directory.path() / name;
  if (descriptor < 0) throw_errno("open", path.string());
  file opened(descriptor, path);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw_errno("stat", path.string());
  if (!S_ISREG(status.st_mode)) throw_errno("open", path.string(), ENXIO);
  return opened;
}

std::uint64_t file::size() const {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0) throw_errno("stat", path_.string());
  return static_cast<std::uint64_t>(status.st_size);
}

std::uint64_t file::allocated_bytes() const {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0) throw_errno("stat", path_.string());
  return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

bool file::has_name() const {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0) throw_errno("stat", path_.string());
  return status.st_nlink != 0;
}

bool file::is_direct_access() const noexcept {
  struct statx status {};
  return ::statx(descriptor_, "", AT_EMPTY_PATH, STATX_TYPE, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_DAX) != 0;
}

std::size_t file::read_at(void* to, std::size_t bytes, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        observed({.operation = file_operation::read,
                  .descriptor = descriptor_,
                  .offset = offset + done,
                  .bytes = std::min(bytes - done, largest_transfer)},
                 [&](std::uint64_t most) {
                   return ::pread(descriptor_, static_cast<char*>(to) + done, static_cast<std::size_t>(most),
                                  static_cast<off_t>(offset + done));
                 });
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno("read", path_.string());
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

// By the calls and not by the C library's functions, which are cancellation points.

std::ptrdiff_t try_read_at(int descriptor, void* to, std::size_t bytes, std::uint64_t offset) noexcept {
  std::size_t done = 0;
  while (done < bytes) {
    const long got =
        ::syscall(SYS_pread64, descriptor, static_cast<char*>(to) + done, bytes - done, offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<std::ptrdiff_t>(done);
}

std::ptrdiff_t read_once(int descriptor, void* to, std::size_t bytes, std::uint64_t offset) noexcept {
  long got;
  do {
    got = observed({.operation = file_operation::read,
                    .descriptor = descriptor,
                    .offset = offset,
                    .bytes = std::min(bytes, largest_transfer)},
                   [&](std::uint64_t most) { return ::syscall(SYS_pread64, descriptor, to, most, offset); });
  } while (got < 0 && errno == EINTR);
  return got;
}

std::ptrdiff_t write_once(int descriptor, const void* from, std::size_t bytes,
                          std::uint64_t offset) noexcept {
  const iovec part{const_cast<void*>(from), std::min(bytes, largest_transfer)};
  long put;
  do {
    put = observed_write(
        {.operation = file_operation::write,
         .descriptor = descriptor,
         .offset = offset,
         .bytes = part.iov_len,
         .data = std::span(&part, 1)},
        [&](std::uint64_t most) { return ::syscall(SYS_pwrite64, descriptor, from, most, offset); });
  } while (put < 0 && errno == EINTR);
  return put;
}

void file::write_at(const void* from, std::size_t bytes, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < bytes) {
    const iovec rest{const_cast<char*>(static_cast<const char*>(from)) + done,
                     std::min(bytes - done, largest_transfer)};
    const ssize_t put =
        observed_write({.operation = file_operation::write,
                        .descriptor = descriptor_,
                        .offset = offset + done,
                        .bytes = rest.iov_len,
                        .data = std::span(&rest, 1)},
                       [&](std::uint64_t most) {
                         return ::pwrite(descriptor_, rest.iov_base, static_cast<std::size_t>(most),
                                         static_cast<off_t>(offset + done));
                       });
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw_errno("write", path_.string());
    // A write of nothing without an error would loop for ever; no regular file does it except when full.
    if (put == 0) throw_errno("write", path_.string(), ENOSPC);
    done += static_cast<std::size_t>(put);
  }
}

void file::write_at(std::span<iovec> parts, std::uint64_t offset) const {
  constexpr std::size_t most_parts = 1024;  // IOV_MAX
  while (!parts.empty()) {
    const std::size_t count = std::min(parts.size(), most_parts);
    const std::span<const iovec> now = parts.first(count);
    std::uint64_t bytes = 0;
    for (const iovec& part : now) bytes += part.iov_len;
    const ssize_t put = observed_write(
        {.operation = file_operation::write,
         .descriptor = descriptor_,
         .offset = offset,
         .bytes = bytes,
         .data = now},
        [&](std::uint64_t most) {
          // A shortened call ends within the first part.
          if (most < bytes) {
            return ::pwrite(descriptor_, now.front().iov_base,
                            std::min<std::size_t>(most, now.front().iov_len), static_cast<off_t>(offset));
          }
          return ::pwritev(descriptor_, now.data(), static_cast<int>(count), static_cast<off_t>(offset));
        });
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw_errno("write", path_.string());
    if (put == 0) throw_errno("write", path_.string(), ENOSPC);
    offset += static_cast<std::uint64_t>(put);
    std::size_t left = static_cast<std::size_t>(put);
    while (!parts.empty() && left >= parts.front().iov_len) {
      left -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (left != 0) {
      parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + left;
      parts.front().iov_len -= left;
    }
  }
}

bool try_resize(int descriptor, std::uint64_t bytes) noexcept {
  int result;
  do {
    result = observed({.operation = file_operation::resize, .descriptor = descriptor, .bytes = bytes},
                      [&](std::uint64_t) { return ftruncate_within_limit(descriptor, bytes); });
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

void file::resize(std::uint64_t bytes) const {
  if (!try_resize(descriptor_, bytes)) throw_errno("resize", path_.string());
}

bool try_reserve_space(int descriptor, std::uint64_t offset, std::uint64_t bytes) noexcept {
  int result;
  do {
    result = observed({.operation = file_operation::reserve_space,
                       .descriptor = descriptor,
                       .offset = offset,
                       .bytes = bytes},
                      [&](std::uint64_t) {
                        return ::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                                           static_cast<off_t>(bytes));
                      });
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

bool file::reserve_space(std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes == 0 || try_reserve_space(descriptor_, offset, bytes)) return true;
  if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL || errno == EPERM) return false;
  throw_errno("reserve space in", path_.string());
}

void file::punch(std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes == 0) return;
  int result;
  do {
    result = observed(
        {.operation = file_operation::punch, .descriptor = descriptor_, .offset = offset, .bytes = bytes},
        [&](std::uint64_t) {
          return ::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                             static_cast<off_t>(offset), static_cast<off_t>(bytes));
        });
  } while (result != 0 && errno == EINTR);
  if (result == 0) return;
  if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL && errno != EPERM) {
    throw_errno("punch a hole in", path_.string());
  }
  static constexpr std::array<char, 65536> zeros{};
  const std::uint64_t end = std::min(offset + bytes, size());
  for (std::uint64_t at = offset; at < end; at += zeros.size()) {
    write_at(zeros.data(), static_cast<std::size_t>(std::min<std::uint64_t>(zeros.size(), end - at)), at);
  }
}

void file::start_writeback() const noexcept {
  ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
}

void file::sync_data() const {
  int result;
  do {
    result = observed({.operation = file_operation::sync_data, .descriptor = descriptor_},
                      [&](std::uint64_t) { return ::fdatasync(descriptor_); });
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw_errno("fdatasync", path_.string());
}

void file::sync() const {
  int result;
  do {
    result = observed({.operation = file_operation::sync, .descriptor = descriptor_},
                      [&](std::uint64_t) { return ::fsync(descriptor_); });
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw_errno("fsync", path_.string());
}

bool file::try_lock(lock_mode mode, lock_range range) const {
  struct flock lock = lock_of(mode, range);
  if (::fcntl(descriptor_, F_OFD_SETLK, &lock) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  throw_errno("lock", path_.string());
}

void file::lock(lock_mode mode, lock_range range) const {
  struct flock lock = lock_of(mode, range);
  while (::fcntl(descriptor_, F_OFD_SETLKW, &lock) != 0) {
    if (errno != EINTR) throw_errno("lock", path_.string());
  }
}

void file::unlock(lock_range range) const {
  struct flock lock = lock_of(lock_mode::shared, range);
  lock.l_type = F_UNLCK;
  if (::fcntl(descriptor_, F_OFD_SETLK, &lock) != 0) throw_errno("unlock", path_.string());
}

std::optional<lock_mode> file::foreign_lock(lock_range range) const {
  struct flock lock = lock_of(lock_mode::exclusive, range);
  if (::fcntl(descriptor_, F_OFD_GETLK, &lock) != 0) throw_errno("query the lock of", path_.string());
  if (lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_type == F_RDLCK ? lock_mode::shared : lock_mode::exclusive;
}

void make_directory(const std::filesystem::path& path) {
  const int result = observed({.operation = file_operation::make_directory, .name = path.c_str()},
                              [&](std::uint64_t) { return ::mkdir(path.c_str(), new_directory_mode); });
  if (result != 0) throw_errno("mkdir", path.string());
}

void rename_directory(const std::filesystem::path& from, const std::filesystem::path& to) {
  const int result =
      observed({.operation = file_operation::rename, .name = from.c_str(), .new_name = to.c_str()},
               [&](std::uint64_t) { return ::rename(from.c_str(), to.c_str()); });
  if (result != 0) throw_errno("rename to", to.string());
}

void rename_in(const file& directory, const std::string& from, const std::string& to) {
  const int in = directory.descriptor();
  const int result = observed(
      {.operation = file_operation::rename, .descriptor = in, .name = from.c_str(), .new_name = to.c_str()},
      [&](std::uint64_t) { return ::renameat(in, from.c_str(), in, to.c_str()); });
  if (result != 0) throw_errno("rename to", (directory.path() / to).string());
}

void remove_in(const file& directory, const std::string& name) {
  const int in = directory.descriptor();
  const int result = observed({.operation = file_operation::remove, .descriptor = in, .name = name.c_str()},
                              [&](std::uint64_t) { return ::unlinkat(in, name.c_str(), 0); });
  if (result != 0 && errno != ENOENT) throw_errno("remove", (directory.path() / name).string());
}

void remove_directory_in(const file& directory, const std::string& name) {
  const int in = directory.descriptor();
  const int result = observed({.operation = file_operation::remove, .descriptor = in, .name = name.c_str()},
                              [&](std::uint64_t) { return ::unlinkat(in, name.c_str(), AT_REMOVEDIR); });
  if (result != 0 && errno != ENOENT) throw_errno("remove", (directory.path() / name).string());
}

void remove_if_empty(const std::filesystem::path& path) noexcept {
  try {
    const std::filesystem::path parent = path.parent_path();
    remove_directory_in(file::open_directory(parent.empty() ? "." : parent), path.filename());
  } catch (const std::exception&) {
    // Something is in it, or it may not be removed.
  }
}

void remove_tree_in(const file& directory, const std::string& name) {
  const file own = file::open_directory(directory.path() / name);
  for (const std::string& inside : names_in(own.path())) {
    const bool is_directory =
        std::filesystem::is_directory(std::filesystem::symlink_status(own.path() / inside));
    (is_directory ? remove_tree_in : remove_in)(own, inside);
  }
  remove_directory_in(directory, name);
}

bool is_mount_point(const std::filesystem::path& path) {
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0, &status) != 0)
    throw_errno("stat", path.string());
  return (status.stx_attributes & status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool exists_in(const file& directory, const std::string& name) {
  struct stat status;
  if (::fstatat(directory.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return true;
  if (errno == ENOENT) return false;
  throw_errno("stat", (directory.path() / name).string());
}

bool is_named(const file& directory, const std::string& name, const file& opened) {
  struct stat named;
  struct stat own;
  if (::fstatat(directory.descriptor(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return false;
    throw_errno("stat", (directory.path() / name).string());
  }
  if (::fstat(opened.descriptor(), &own) != 0) throw_errno("stat", opened.path().string());
  return named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

}  // namespace perdure::os
