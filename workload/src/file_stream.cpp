// Reads files, pipes and terminals by system calls, with errors that name them.
#include "file_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <perdure/error.hpp>
#include <system_error>

namespace perdure::workload {
namespace {

[[noreturn]] void fail(const std::string& name, const char* action, int number) {
  const errc code = number == ENOENT || number == ENOTDIR ? errc::not_found
                    : number == EACCES || number == EPERM ? errc::permission_denied
                                                          : errc::io;
  throw error(code, name + ": cannot " + action + ": " + std::generic_category().message(number));
}

}  // namespace

file_stream::file_stream(const std::filesystem::path& path, int end_descriptor)
    : name_(path == "-" ? "standard input" : path.string()), end_descriptor_(end_descriptor) {
  descriptor_ = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                            : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor_ < 0) fail(name_, "open", errno);
  struct stat status;
  if (::fstat(descriptor_, &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      ::close(descriptor_);
      fail(name_, "read", EISDIR);
    }
    if (S_ISREG(status.st_mode)) {
      length_ = static_cast<std::uint64_t>(status.st_size);
      end_descriptor_ = -1;
    }
  }
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

file_stream::~file_stream() {
  ::close(descriptor_);
}

std::size_t file_stream::read(char* out, std::size_t size) {
  if (head_position_ < head_.size()) {
    const std::size_t n = std::min(size, head_.size() - head_position_);
    std::memcpy(out, head_.data() + head_position_, n);
    head_position_ += n;
    return n;
  }
  return read_file(out, size);
}

std::size_t file_stream::read_file(char* out, std::size_t size) {
  for (;;) {
    if (end_descriptor_ >= 0) {
      pollfd both[2] = {{descriptor_, POLLIN, 0}, {end_descriptor_, POLLIN, 0}};
      if (::poll(both, 2, -1) > 0 && both[1].revents != 0) return 0;
      if (both[0].revents == 0) continue;
    }
    const ssize_t got = ::read(descriptor_, out, size);
    if (got >= 0) {
      position_.fetch_add(static_cast<std::uint64_t>(got), std::memory_order_relaxed);
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) fail(name_, "read", errno);
  }
}

}  // namespace perdure::workload
