// Writes files.
#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file_size_limit.hpp"
#include "file_failure.hpp"

namespace perdure::formats {

namespace {
constexpr std::size_t output_buffer_bytes = std::size_t{1} << 18;
}

output_file::output_file(const std::filesystem::path& path)
    : path_(path == "-" ? "standard output" : path),
      descriptor_(path == "-" ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                              : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail_with(path_, "create", errno);
  struct stat status {};
  may_have_holes_ = path != "-" && ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

output_file::~output_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void output_file::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() <= output_buffer_bytes) {
    buffer_ += bytes;
    return;
  }
  flush(buffer_);
  buffer_.clear();
  if (bytes.size() >= output_buffer_bytes) return flush(bytes);
  buffer_ = bytes;
}

void output_file::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = base::is_beyond_file_size_limit(offset + bytes.size() - 1)
                            ? -1
                            : ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_with(path_, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

void output_file::extend(std::uint64_t size) {
  const bool is_beyond = size != 0 && base::is_beyond_file_size_limit(size - 1);
  if (is_beyond || ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail_with(path_, "write", errno);
}

void output_file::flush(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put =
        base::is_at_file_size_limit(descriptor_) ? -1 : ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_with(path_, "write", errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void output_file::finish() {
  flush(buffer_);
  buffer_.clear();
  // Network file systems report some failures only here.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_with(path_, "write", errno);
}

}  // namespace perdure::formats
