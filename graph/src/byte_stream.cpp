#include "byte_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <perdure/error.hpp>
#include <string>
#include <system_error>
#include <vector>

namespace perdure::graph {
namespace {

[[noreturn]] void fail(const std::string& name, const char* action, int number) {
  const errc code = number == ENOENT || number == ENOTDIR ? errc::not_found
                    : number == EACCES || number == EPERM ? errc::permission_denied
                                                          : errc::io;
  throw error(code, name + ": cannot " + action + ": " + std::generic_category().message(number));
}

class file_stream final : public byte_stream {
 public:
  file_stream(const std::filesystem::path& path, int end_descriptor)
      : name_(display_name(path)), end_descriptor_(end_descriptor) {
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
    // The first bytes tell the format; they are handed out again by the first reads.
    head_.resize(2);
    std::size_t have = 0;
    try {
      while (have < head_.size()) {
        const std::size_t got = read_file(head_.data() + have, head_.size() - have);
        if (got == 0) break;
        have += got;
      }
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
    head_.resize(have);
  }
  ~file_stream() override { ::close(descriptor_); }

  bool is_gzip() const noexcept { return head_ == "\x1f\x8b"; }
  const std::string& name() const noexcept { return name_; }

  std::size_t read(char* out, std::size_t size) override {
    if (head_position_ < head_.size()) {
      const std::size_t n = std::min(size, head_.size() - head_position_);
      std::memcpy(out, head_.data() + head_position_, n);
      head_position_ += n;
      return n;
    }
    return read_file(out, size);
  }
  std::uint64_t position() const noexcept override { return position_.load(std::memory_order_relaxed); }
  std::uint64_t length() const noexcept override { return length_; }

 private:
  std::size_t read_file(char* out, std::size_t size) {
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

  std::string name_;
  int end_descriptor_;
  int descriptor_;
  std::uint64_t length_ = 0;
  std::atomic<std::uint64_t> position_{0};
  std::string head_;
  std::size_t head_position_ = 0;
};

class gzip_stream final : public byte_stream {
 public:
  explicit gzip_stream(std::unique_ptr<file_stream> file) : file_(std::move(file)), input_(input_size) {
    // 16: gzip header and trailer, the check sum verified.
    if (inflateInit2(&state_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_stream() override { inflateEnd(&state_); }

  std::size_t read(char* out, std::size_t size) override {
    size = std::min<std::size_t>(size, std::size_t{1} << 30);
    state_.next_out = reinterpret_cast<Bytef*>(out);
    state_.avail_out = static_cast<uInt>(size);
    while (state_.avail_out == size) {
      if (state_.avail_in == 0 && !refill()) {
        if (between_members_) return 0;
        throw error(errc::bad_input, file_->name() + ": the gzip data ends too early (truncated file?)");
      }
      if (between_members_ && !begin_member()) return 0;
      const int status = inflate(&state_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        between_members_ = true;
      } else if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw error(errc::bad_input, file_->name() + ": the gzip data is damaged (" +
                                         (state_.msg != nullptr ? state_.msg : "bad stream") + ")");
      }
    }
    return size - state_.avail_out;
  }
  std::uint64_t position() const noexcept override { return file_->position(); }
  std::uint64_t length() const noexcept override { return file_->length(); }

 private:
  static constexpr std::size_t input_size = std::size_t{1} << 18;

  bool refill() {
    const std::size_t got = file_->read(input_.data(), input_.size());
    state_.next_in = reinterpret_cast<Bytef*>(input_.data());
    state_.avail_in = static_cast<uInt>(got);
    return got != 0;
  }

  // A gzip file is a sequence of members; zero bytes after the last are padding (tape blocks).
  bool begin_member() {
    if (!first_member_) {
      while (*state_.next_in == 0) {
        ++state_.next_in;
        if (--state_.avail_in == 0 && !refill()) return false;
      }
      if (*state_.next_in != 0x1f)
        throw error(errc::bad_input, file_->name() + ": bytes that are not gzip follow the gzip data");
      inflateReset(&state_);
    }
    first_member_ = false;
    between_members_ = false;
    return true;
  }

  std::unique_ptr<file_stream> file_;
  std::vector<char> input_;
  z_stream state_{};
  bool first_member_ = true;
  bool between_members_ = true;
};

}  // namespace

std::string display_name(const std::filesystem::path& path) {
  return path == "-" ? "standard input" : path.string();
}

std::unique_ptr<byte_stream> open_byte_stream(const std::filesystem::path& path, int end_descriptor) {
  auto file = std::make_unique<file_stream>(path, end_descriptor);
  if (file->is_gzip()) return std::make_unique<gzip_stream>(std::move(file));
  return file;
}

}  // namespace perdure::graph
