#include "os/file.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <utility>

#include "os/system_error.hpp"

namespace perdure::os {

namespace {

constexpr mode_t new_file_mode = 0600;

// Linux transfers at most this much in one call; larger counts come back short.
constexpr std::size_t largest_transfer = std::size_t{1} << 30;

int open_without_symlinks(int directory, const char* name, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.mode = (flags & O_CREAT) != 0 ? new_file_mode : 0;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
  long descriptor;
  do {
    descriptor = ::syscall(SYS_openat2, directory, name, &how, sizeof how);
  } while (descriptor < 0 && (errno == EINTR || errno == EAGAIN));
  if (descriptor >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(descriptor);
  // Old kernels, and sandboxes that filter openat2. Names here have no slash, so the last component is
  // the only one and O_NOFOLLOW says the same.
  int plain;
  do {
    plain = ::openat(directory, name, flags | O_NOFOLLOW, new_file_mode);
  } while (plain < 0 && errno == EINTR);
  return plain;
}

struct flock whole_file(lock_mode mode) {
  struct flock lock {};
  lock.l_type = static_cast<short>(mode == lock_mode::exclusive ? F_WRLCK : F_RDLCK);
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

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
  const int descriptor = open_without_symlinks(directory.descriptor(), name.c_str(), flags | O_CLOEXEC);
  const std::filesystem::path path = directory.path() / name;
  if (descriptor < 0) throw_errno("open", path.string());
  return file(descriptor, path);
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

std::size_t file::read_at(void* to, std::size_t bytes, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::pread(descriptor_, static_cast<char*>(to) + done,
                                std::min(bytes - done, largest_transfer), static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno("read", path_.string());
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void file::write_at(const void* from, std::size_t bytes, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t put = ::pwrite(descriptor_, static_cast<const char*>(from) + done,
                                 std::min(bytes - done, largest_transfer), static_cast<off_t>(offset + done));
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
    const ssize_t put =
        ::pwritev(descriptor_, parts.data(), static_cast<int>(count), static_cast<off_t>(offset));
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

void file::resize(std::uint64_t bytes) const {
  int result;
  do {
    result = ::ftruncate(descriptor_, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw_errno("resize", path_.string());
}

bool file::reserve_space(std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes == 0) return true;
  int result;
  do {
    result =
        ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result == 0) return true;
  if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL || errno == EPERM) return false;
  throw_errno("reserve space in", path_.string());
}

void file::punch(std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes == 0) return;
  int result;
  do {
    result = ::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                         static_cast<off_t>(bytes));
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
    result = ::fdatasync(descriptor_);
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw_errno("fdatasync", path_.string());
}

void file::sync() const {
  int result;
  do {
    result = ::fsync(descriptor_);
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw_errno("fsync", path_.string());
}

bool file::try_lock(lock_mode mode) const {
  struct flock lock = whole_file(mode);
  if (::fcntl(descriptor_, F_OFD_SETLK, &lock) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  throw_errno("lock", path_.string());
}

std::optional<lock_mode> file::foreign_lock() const {
  struct flock lock = whole_file(lock_mode::exclusive);
  if (::fcntl(descriptor_, F_OFD_GETLK, &lock) != 0) throw_errno("query the lock of", path_.string());
  if (lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_type == F_RDLCK ? lock_mode::shared : lock_mode::exclusive;
}

void rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to) {
  constexpr unsigned no_replace = 1;  // RENAME_NOREPLACE
  if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), no_replace) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) throw_errno("rename to", to.string());
  // The file system cannot do it atomically (NFS): check, then rename.
  struct stat status;
  if (::lstat(to.c_str(), &status) == 0) throw_errno("rename to", to.string(), EEXIST);
  if (::rename(from.c_str(), to.c_str()) != 0) throw_errno("rename to", to.string());
}

void rename_in(const file& directory, const std::string& from, const std::string& to) {
  if (::renameat(directory.descriptor(), from.c_str(), directory.descriptor(), to.c_str()) != 0) {
    throw_errno("rename to", (directory.path() / to).string());
  }
}

void remove_in(const file& directory, const std::string& name) {
  if (::unlinkat(directory.descriptor(), name.c_str(), 0) != 0 && errno != ENOENT) {
    throw_errno("remove", (directory.path() / name).string());
  }
}

bool exists_in(const file& directory, const std::string& name) {
  struct stat status;
  if (::fstatat(directory.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return true;
  if (errno == ENOENT) return false;
  throw_errno("stat", (directory.path() / name).string());
}

}  // namespace perdure::os
