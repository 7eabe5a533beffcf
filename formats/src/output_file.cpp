// Writes files.
#include "output_file.hpp"

#include <fcntl.h>
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
