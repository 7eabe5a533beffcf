// Reads a file at any place, and says what is wrong with it.
#include "input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/file_size_limit.hpp"
#include "file_failure.hpp"

namespace perdure::formats {

input_file::input_file(int descriptor, std::filesystem::path path, std::uint64_t size) noexcept
    : descriptor_(descriptor), path_(std::move(path)), size_(size) {}

// A pipe that nobody writes to is refused rather than waited for.
input_file::input_file(const std::filesystem::path& path)
    : input_file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC), path, 0) {
  if (descriptor_ < 0) fail_with(path_, "read", errno);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail_with(path_, "read", errno);
  if (!S_ISREG(status.st_mode)) refuse("it is no regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
}

input_file input_file::unnamed() {
  const std::filesystem::path directory = std::filesystem::temp_directory_path();
  std::string pattern = (directory / "perdure-XXXXXX").string();
  const int descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor < 0) fail_with(directory, "make a temporary file in it", errno);
  ::unlink(pattern.c_str());
  return {descriptor, directory / "a temporary file", 0};
}

input_file::input_file(input_file&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)), size_(other.size_) {}

input_file::~input_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void input_file::read_at(std::uint64_t offset, std::span<std::byte> to) const {
  if (offset > size_ || to.size() > size_ - offset)
    refuse("it is cut short: " + std::to_string(to.size()) + " bytes are missing from byte " +
           std::to_string(offset) + " on, and it has " + std::to_string(size_));
  while (!to.empty()) {
    const ssize_t got = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with(path_, "read", errno);
    if (got == 0) refuse("it became shorter while it was read");
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

std::string input_file::text_at(std::uint64_t offset, std::size_t bytes) const {
  std::string text(offset >= size_ ? 0 : std::min<std::uint64_t>(bytes, size_ - offset), '\0');
  read_at(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

std::optional<std::vector<byte_range>> input_file::data_within(std::uint64_t begin, std::uint64_t end,
                                                               std::size_t most) const {
  std::vector<byte_range> found;
  while (begin < end) {
    const off_t data = ::lseek(descriptor_, static_cast<off_t>(begin), SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // a hole up to the end of the file
    if (data < 0) return std::nullopt;
    const off_t hole = ::lseek(descriptor_, data, SEEK_HOLE);
    if (hole < 0 || found.size() == most) return std::nullopt;
    if (static_cast<std::uint64_t>(data) >= end) break;
    found.push_back({static_cast<std::uint64_t>(data), std::min(end, static_cast<std::uint64_t>(hole))});
    begin = found.back().end;
  }
  return found;
}

void input_file::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = base::is_beyond_file_size_limit(size_)
                            ? -1
                            : ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_with(path_, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    size_ += static_cast<std::uint64_t>(put);
  }
}

void input_file::refuse(const std::string& what) const {
  throw error(errc::bad_input, path_.string() + ": " + what);
}

}  // namespace perdure::formats
