#include "pager/file_io.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "os/system_error.hpp"

namespace perdure::pager::detail {

namespace {

std::filesystem::path path_of_descriptor(int descriptor) {
  std::error_code unknown;
  const std::filesystem::path link = "/proc/self/fd/" + std::to_string(descriptor);
  const std::filesystem::path path = std::filesystem::read_symlink(link, unknown);
  return unknown ? link : path;
}

// Another description of the same open file: its flags and hints are not the program's.
os::file reopen(const os::file& file, int flags) noexcept {
  const std::string link = "/proc/self/fd/" + std::to_string(file.descriptor());
  return os::file(::open(link.c_str(), flags | O_CLOEXEC), file.path());
}

int access_flags(mode wanted) noexcept {
  return wanted == mode::write_back ? O_RDWR : O_RDONLY;
}

// A descriptor that passes the page cache by; none where the file system refuses or wants other alignments.
os::file open_direct(const os::file& file, int flags) {
  os::file direct = reopen(file, flags | O_DIRECT);
  if (!direct) return {};
  const std::unique_ptr<void, decltype(&std::free)> probe(std::aligned_alloc(page_bytes, page_bytes),
                                                          &std::free);
  if (probe == nullptr || os::read_once(direct.descriptor(), probe.get(), page_bytes, 0) < 0) return {};
  return direct;
}

}  // namespace

file_io file_io::open(const std::filesystem::path& path, const options& wanted) {
  // Without O_NONBLOCK opening a FIFO would wait for a writer.
  os::file file(::open(path.c_str(), access_flags(wanted.mode) | O_CLOEXEC | O_NONBLOCK), path);
  if (!file) {
    if (errno == EISDIR) throw error(errc::invalid_argument, path.string() + " is a directory");
    os::throw_errno("open", path.string());
  }
  return file_io(std::move(file), wanted);
}

file_io file_io::adopt(int descriptor, const options& wanted) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) throw error(errc::invalid_argument, std::to_string(descriptor) + " is no open descriptor");
  const std::filesystem::path path = path_of_descriptor(descriptor);
  const int access = flags & O_ACCMODE;
  if (access == O_WRONLY || (flags & O_PATH) != 0)
    throw error(errc::permission_denied, path.string() + " is not open for reading");
  if (wanted.mode == mode::write_back && access != O_RDWR)
    throw error(errc::permission_denied, path.string() + " is not open for writing");
  os::file copy(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0), path);
  if (!copy) os::throw_errno("duplicate", path.string());
  if (os::file own = reopen(copy, access_flags(wanted.mode))) return file_io(std::move(own), wanted);
  return file_io(std::move(copy), wanted);
}

file_io::file_io(os::file opened, const options& wanted) : file_(std::move(opened)) {
  struct stat status {};
  if (::fstat(file_.descriptor(), &status) != 0) os::throw_errno("stat", name());
  if (S_ISDIR(status.st_mode)) throw error(errc::invalid_argument, name() + " is a directory");
  if (!S_ISREG(status.st_mode)) throw error(errc::invalid_argument, name() + " is not a regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (size_ == 0) throw error(errc::invalid_argument, name() + " is empty");
  if (pages() >= ~page_number{0}) throw error(errc::invalid_argument, name() + " is longer than 16 TiB");
  ::posix_fadvise(file_.descriptor(), 0, 0, POSIX_FADV_RANDOM);
  if (wanted.transfer == transfer::automatic) direct_ = open_direct(file_, access_flags(wanted.mode));
}

void file_io::open_spill(const std::filesystem::path& directory) {
  const char* const temporary = std::getenv("TMPDIR");
  const std::filesystem::path own = std::filesystem::absolute(file_.path()).parent_path();
  const std::filesystem::path fallback = temporary != nullptr && *temporary != '\0' ? temporary : "/tmp";
  for (const auto& place : directory.empty() ? std::vector{own, fallback} : std::vector{directory}) {
    spill_ = os::file(::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600),
                      place / "(spill file without a name)");
    if (spill_) break;
  }
  if (!spill_) os::throw_errno("make a spill file in", (directory.empty() ? fallback : directory).string());
  if (direct_) direct_spill_ = open_direct(spill_, O_RDWR);
}

std::size_t file_io::bytes_held(page_number first, std::size_t count, bool spilled) const noexcept {
  const std::size_t room = count * page_bytes;
  if (spilled) return room;
  return static_cast<std::size_t>(std::min<std::uint64_t>(room, size_ - std::uint64_t{first} * page_bytes));
}

// `once(descriptor, done, bytes, offset)` makes one system call; `at_none` is the error when it moves
// nothing.
template <class Once>
std::optional<failed_transfer> file_io::transfer(failure::operation what, int at_none, page_number first,
                                                 std::size_t count, bool spilled,
                                                 Once&& once) const noexcept {
  const std::uint64_t offset = std::uint64_t{first} * page_bytes;
  const os::file& buffered = spilled ? spill_ : file_;
  const os::file& direct = spilled ? direct_spill_ : direct_;
  const std::size_t wanted = bytes_held(first, count, spilled);
  const std::size_t whole_pages = wanted / page_bytes * page_bytes;
  bool is_direct = static_cast<bool>(direct);
  std::size_t done = 0;
  while (done < wanted) {
    // Past the cache only whole pages can be had; the end of the file goes through it.
    is_direct = is_direct && done % page_bytes == 0 && done < whole_pages;
    const std::ptrdiff_t moved = is_direct
                                     ? once(direct.descriptor(), done, whole_pages - done, offset + done)
                                     : once(buffered.descriptor(), done, wanted - done, offset + done);
    if (moved < 0 && is_direct && errno == EINVAL) {
      is_direct = false;
      continue;
    }
    if (moved <= 0)
      return failed_transfer{what, offset + done / page_bytes * page_bytes, moved < 0 ? errno : at_none};
    done += static_cast<std::size_t>(moved);
  }
  return std::nullopt;
}

std::optional<failed_transfer> file_io::read(page_number first, std::size_t count, bool spilled,
                                             std::byte* to) const noexcept {
  const auto failed =
      transfer(failure::operation::read, 0, first, count, spilled,
               [to](int descriptor, std::size_t done, std::size_t bytes, std::uint64_t offset) {
                 return os::read_once(descriptor, to + done, bytes, offset);
               });
  if (failed) return failed;
  const std::size_t held = bytes_held(first, count, spilled);
  std::memset(to + held, 0, count * page_bytes - held);
  return std::nullopt;
}

std::optional<failed_transfer> file_io::write(page_number first, std::size_t count,
                                              const std::byte* from) const noexcept {
  return transfer(failure::operation::write, EIO, first, count, static_cast<bool>(spill_),
                  [from](int descriptor, std::size_t done, std::size_t bytes, std::uint64_t offset) {
                    return os::write_once(descriptor, from + done, bytes, offset);
                  });
}

void file_io::transfer_all(std::span<page_run> runs, bool writes, os::parallel_io& io,
                           std::span<os::transfer_request> requests) const noexcept {
  const auto direct_descriptor = [&](const page_run& run) {
    const bool spilled = writes ? static_cast<bool>(spill_) : run.spilled;
    const bool is_whole = spilled || std::uint64_t{run.first + run.count} * page_bytes <= size_;
    return is_whole ? (spilled ? direct_spill_ : direct_).descriptor() : -1;
  };
  while (!runs.empty()) {
    const std::span<page_run> together = runs.first(std::min(runs.size(), requests.size()));
    std::size_t count = 0;
    for (const page_run& run : together) {
      if (const int direct = direct_descriptor(run); direct >= 0)
        requests[count++] = {
            direct, writes, run.memory, run.count * page_bytes, std::uint64_t{run.first} * page_bytes, 0};
    }
    io.run(requests.first(count));
    const os::transfer_request* request = requests.data();
    for (page_run& run : together) {
      run.failed.reset();
      if (direct_descriptor(run) >= 0) {
        const bool is_done = request->result == static_cast<std::ptrdiff_t>(request->bytes);
        ++request;
        if (is_done) continue;
      }
      // The end of the file, what is only to be had through the page cache, and what was cut short or failed.
      run.failed = writes ? write(run.first, run.count, run.memory)
                          : read(run.first, run.count, run.spilled, run.memory);
    }
    runs = runs.subspan(together.size());
  }
}

void file_io::drop_cached() const noexcept {
  if (!direct_) ::posix_fadvise(file_.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
  if (spill_ && !direct_spill_) ::posix_fadvise(spill_.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace perdure::pager::detail
