#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <perdure/error.hpp>
#include <perdure/workload/part_files.hpp>
#include <system_error>
#include <utility>

#include "progress.hpp"
#include "unfinished_files.hpp"

namespace perdure::cli {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* action, int number) {
  const errc code = number == ENOSPC || number == EDQUOT  ? errc::no_space
                    : number == EACCES || number == EPERM ? errc::permission_denied
                    : number == ENOENT                    ? errc::not_found
                                                          : errc::io;
  const std::string name = path.empty() ? "standard output" : path.string();
  throw error(code, name + ": cannot " + action + ": " + std::generic_category().message(number));
}

}  // namespace

output::output(int descriptor, std::filesystem::path path, std::filesystem::path temporary)
    : descriptor_(descriptor), path_(std::move(path)), temporary_(std::move(temporary)) {}

output::output(output&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::move(other.buffer_)) {}

output output::standard() {
  return output(STDOUT_FILENO, {}, {});
}

output output::to(const std::filesystem::path& path) {
  if (path == "-") return standard();
  struct stat status;
  std::filesystem::path temporary;
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) {
    workload::remove_abandoned_parts(path);
    temporary = workload::part_name(path);
  }
  const auto& name = temporary.empty() ? path : temporary;
  const int flags = O_WRONLY | O_CLOEXEC | (temporary.empty() ? 0 : O_CREAT | O_TRUNC);
  // Before it is there: no instant may be left in which nobody would remove it.
  if (!temporary.empty()) remove_if_interrupted(temporary);
  const int descriptor = ::open(name.c_str(), flags, 0666);
  if (descriptor < 0) {
    const int number = errno;
    finished(temporary);
    fail(path, "create", number);
  }
  return output(descriptor, path, std::move(temporary));
}

output::~output() {
  if (descriptor_ < 0 || path_.empty()) return;
  ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  finished(temporary_);
}

void output::write(std::uint64_t number) {
  char digits[24];
  const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  write(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

void output::flush() {
  if (path_.empty() && !buffer_.empty()) end_progress_before_output();
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE && path_.empty()) {
      throw reader_gone();
    } else if (errno != EINTR) {
      fail(path_, "write", errno);
    }
  }
  buffer_.clear();
}

void output::finish() {
  flush();
  if (path_.empty()) return;
  // Network file systems report some failures only here.
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    const int number = errno;
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    fail(path_, "write", number);
  }
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int number = errno;
    ::unlink(temporary_.c_str());
    fail(path_, "create", number);
  }
  finished(temporary_);
}

}  // namespace perdure::cli
