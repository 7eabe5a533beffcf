// Plain files of a known size, written and read by system calls or where they are mapped.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace perdure::bench {

[[noreturn]] inline void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// Makes durable what was written to a file that whoever wrote it has closed.
inline void sync_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || ::fdatasync(descriptor) != 0) throw_errno(("sync " + path.string()).c_str());
  ::close(descriptor);
}

/// Any thread may write and read, each its part.
class plain_file {
 public:
  plain_file(const std::filesystem::path& path, std::size_t bytes, bool is_new, bool is_mapped)
      : descriptor_(::open(path.c_str(), (is_new ? O_CREAT | O_TRUNC : 0) | O_RDWR | O_CLOEXEC, 0666)),
        bytes_(bytes) {
    if (descriptor_ < 0 || (is_new && ::ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0))
      throw_errno("open");
    if (!is_mapped) return;
    void* const at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (at == MAP_FAILED) throw_errno("mmap");
    mapped_ = static_cast<char*>(at);
  }
  plain_file(const plain_file&) = delete;
  plain_file& operator=(const plain_file&) = delete;
  ~plain_file() {
    if (mapped_ != nullptr) ::munmap(mapped_, bytes_);
    ::close(descriptor_);
  }

  void write(std::size_t at, const void* from, std::size_t bytes) {
    if (mapped_ != nullptr) return static_cast<void>(std::memcpy(mapped_ + at, from, bytes));
    for (const char* data = static_cast<const char*>(from); bytes != 0;) {
      const ssize_t put = ::pwrite(descriptor_, data, bytes, static_cast<off_t>(at));
      if (put < 0) throw_errno("pwrite");
      data += put;
      at += static_cast<std::size_t>(put);
      bytes -= static_cast<std::size_t>(put);
    }
  }
  void read(std::size_t at, void* to, std::size_t bytes) const {
    if (mapped_ != nullptr) return static_cast<void>(std::memcpy(to, mapped_ + at, bytes));
    for (char* data = static_cast<char*>(to); bytes != 0;) {
      const ssize_t got = ::pread(descriptor_, data, bytes, static_cast<off_t>(at));
      if (got <= 0) throw_errno("pread");
      data += got;
      at += static_cast<std::size_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
  }
  /// Returns when what was written is on the device.
  void sync() {
    if (mapped_ != nullptr && ::msync(mapped_, bytes_, MS_SYNC) != 0) throw_errno("msync");
    if (::fdatasync(descriptor_) != 0) throw_errno("fdatasync");
  }

 private:
  int descriptor_;
  std::size_t bytes_;
  char* mapped_ = nullptr;
};

}  // namespace perdure::bench
