// Memory in a file that has no name any more: it is freed with the kind.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "kind/kind_state.hpp"
#include "os/file.hpp"
#include "os/mapping.hpp"

namespace perdure {

using namespace detail;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

[[noreturn]] void fail(const std::filesystem::path& directory, int reason) {
  const errc code = reason == ENOENT || reason == ENOTDIR  ? errc::not_found
                    : reason == EACCES || reason == EPERM  ? errc::permission_denied
                    : reason == EROFS                      ? errc::read_only
                    : reason == ENOSPC || reason == EDQUOT ? errc::no_space
                                                           : errc::io;
  throw error(code, directory.string() + ": no file for memory can be made there: " + std::strerror(reason));
}

os::file unnamed_file(const std::filesystem::path& directory) {
  int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
    std::string name = (directory / ".perdure-kind-XXXXXX").string();
    descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor >= 0) ::unlink(name.c_str());
  }
  if (descriptor < 0) fail(directory, errno);
  return os::file(descriptor, directory);
}

class file_policy final : public memory_policy {
 public:
  file_policy(const std::filesystem::path& directory, std::uint64_t max_bytes)
      : file_(unnamed_file(directory)), max_bytes_(max_bytes) {}

  file_place file(std::uint64_t offset, std::size_t) override { return {file_.descriptor(), offset}; }
  bool is_private() const override { return false; }

  std::size_t step(std::size_t missing, std::size_t committed) override {
    // Disk space that is taken ahead is lost to others, so it is no more than a part of what is used.
    return std::max(missing, std::min(committed / 8, 64 * mib));
  }

  // New memory holds nothing: if it were read ahead, pages would be cleared long before they are touched.
  void advise(void* address, std::size_t bytes) override { os::expect_scattered_touches(address, bytes); }

  // Space is taken before the file is mapped, so that a full disk is an error here and no signal later.
  void prepare(std::uint64_t offset, std::size_t bytes) override {
    const std::uint64_t held = held_.load(std::memory_order_relaxed);
    if (max_bytes_ != 0 && bytes > max_bytes_ - std::min(held, max_bytes_)) throw std::bad_alloc();
    take_space(offset, bytes);
    held_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void forget(std::uint64_t offset, std::size_t bytes) noexcept override {
    memory_policy::forget(offset, bytes);
    held_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  memory_size size() const override {
    struct statvfs disk {};
    if (::fstatvfs(file_.descriptor(), &disk) != 0) return {max_bytes_, 0};
    const std::uint64_t held = held_.load(std::memory_order_relaxed);
    const std::uint64_t total = std::uint64_t{disk.f_blocks} * disk.f_frsize;
    const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    if (max_bytes_ == 0) return {total, free};
    return {std::min(max_bytes_, total), std::min(max_bytes_ - std::min(max_bytes_, held), free)};
  }

 private:
  void take_space(std::uint64_t offset, std::size_t bytes) {
    int failure = 0;
    do {
      failure = ::fallocate(file_.descriptor(), 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0
                    ? 0
                    : errno;
    } while (failure == EINTR);
    if (failure == 0) return;
    if (failure == EOPNOTSUPP || failure == ENOSYS) failure = write_zeros(offset, bytes);
    if (failure == 0) return;
    memory_policy::forget(offset, bytes);  // some of the space may have been taken
    throw std::bad_alloc();
  }

  /// Takes space on file systems that cannot reserve it, by writing zeros.
  int write_zeros(std::uint64_t offset, std::size_t bytes) noexcept {
    static constexpr std::array<std::byte, 64 * 1024> zeros{};
    try {
      for (std::size_t done = 0; done < bytes; done += zeros.size())
        file_.write_at(zeros.data(), std::min(zeros.size(), bytes - done), offset + done);
    } catch (const std::system_error& e) {
      return e.code().value();
    }
    return 0;
  }

  os::file file_;
  const std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> held_{0};
};

}  // namespace

std::unique_ptr<kind> kind::create_file(const std::filesystem::path& directory, std::uint64_t max_bytes,
                                        const kind_options& options) {
  auto policy = std::make_shared<file_policy>(directory, max_bytes);
  const std::uint64_t most = max_bytes != 0 ? max_bytes : policy->size().total;
  // A little more than the file's size, as parts of each zone hold no blocks.
  return kind_access::make(std::move(policy), most, options);
}

}  // namespace perdure
