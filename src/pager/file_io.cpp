// Reads and writes the pages of a mapped file and of its spill file, past the page cache where that is
// possible.
#include "pager/file_io.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "os/direct_file.hpp"
#include "os/system_error.hpp"
#include "pager/spill_file.hpp"

namespace perdure::pager::detail {

namespace {

std::filesystem::path path_of_descriptor(int descriptor) {
  std::error_code unknown;
  const std::filesystem::path link = "/proc/self/fd/" + std::to_string(descriptor);
  const std::filesystem::path path = std::filesystem::read_symlink(link, unknown);
  return unknown ? link : path;
}

int access_flags(mode wanted) noexcept {
  return wanted == mode::write_back ? O_RDWR : O_RDONLY;
}

}  // namespace

std::unique_ptr<file_io> file_io::open(const std::filesystem::path& path, const options& wanted) {
  // Without O_NONBLOCK opening a FIFO would wait for a writer.
  os::file file(::open(path.c_str(), access_flags(wanted.mode) | O_CLOEXEC | O_NONBLOCK), path);
  if (!file) {
    if (errno == EISDIR) throw error(errc::invalid_argument, path.string() + " is a directory");
    os::throw_errno("open", path.string());
  }
  return std::unique_ptr<file_io>(new file_io(std::move(file), wanted));
}

std::unique_ptr<file_io> file_io::adopt(int descriptor, const options& wanted) {
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
  if (os::file own = os::reopen(copy, access_flags(wanted.mode))) copy = std::move(own);
  return std::unique_ptr<file_io>(new file_io(std::move(copy), wanted));
}

file_io::file_io(os::file opened, const options& wanted) : file_(std::move(opened)) {
  struct stat status {};
  if (::fstat(file_.descriptor(), &status) != 0) os::throw_errno("stat", name());
  if (S_ISDIR(status.st_mode)) throw error(errc::invalid_argument, name() + " is a directory");
  if (!S_ISREG(status.st_mode)) throw error(errc::invalid_argument, name() + " is not a regular file");
  const auto whole = static_cast<std::uint64_t>(status.st_size);
  if (whole == 0) throw error(errc::invalid_argument, name() + " is empty");
  if (wanted.offset % page_size != 0)
    throw error(errc::invalid_argument, "the offset " + std::to_string(wanted.offset) +
                                            " is not a multiple of " + std::to_string(page_size));
  if (wanted.offset >= whole || wanted.bytes > whole - wanted.offset)
    throw error(errc::invalid_argument, name() + " has " + std::to_string(whole) + " bytes: it ends before " +
                                            std::to_string(wanted.bytes) + " bytes from offset " +
                                            std::to_string(wanted.offset) + " do");
  begin_ = wanted.offset;
  size_ = wanted.bytes != 0 ? wanted.bytes : whole - begin_;
  if (pages() >= ~page_number{0}) throw error(errc::invalid_argument, name() + " is longer than 16 TiB");
  ::posix_fadvise(file_.descriptor(), 0, 0, POSIX_FADV_RANDOM);
  if (wanted.transfer == transfer::automatic) direct_ = os::open_direct(file_, access_flags(wanted.mode));
}

void file_io::open_spill(const std::filesystem::path& directory) {
  spill_ = make_spill_file(directory, std::filesystem::absolute(file_.path()).parent_path());
  if (direct_) direct_spill_ = os::open_direct(spill_, O_RDWR);
}

std::size_t file_io::bytes_held(page_number first, std::size_t count, bool spilled) const noexcept {
  const std::size_t room = count * page_size;
  if (spilled) return room;
  return static_cast<std::size_t>(std::min<std::uint64_t>(room, size_ - std::uint64_t{first} * page_size));
}

// `once(descriptor, done, bytes, offset)` makes one system call; `at_none` is the error when it moves
// nothing.
template <class Once>
std::optional<failed_transfer> file_io::transfer(failure::operation what, int at_none, page_number first,
                                                 std::size_t count, bool spilled,
                                                 Once&& once) const noexcept {
  const std::uint64_t offset = offset_of(first);  // in the spill file too
  const os::file& buffered = spilled ? spill_ : file_;
  const os::file& direct = spilled ? direct_spill_ : direct_;
  const std::size_t wanted = bytes_held(first, count, spilled);
  const std::size_t whole_pages = wanted / page_size * page_size;
  bool is_direct = static_cast<bool>(direct);
  std::size_t done = 0;
  while (done < wanted) {
    // Past the cache only whole pages can be had; the end of the file goes through it.
    is_direct = is_direct && done % page_size == 0 && done < whole_pages;
    const std::ptrdiff_t moved = is_direct
                                     ? once(direct.descriptor(), done, whole_pages - done, offset + done)
                                     : once(buffered.descriptor(), done, wanted - done, offset + done);
    if (moved < 0 && is_direct && errno == EINVAL) {
      is_direct = false;
      continue;
    }
    if (moved <= 0)
      return failed_transfer{what, offset + done / page_size * page_size, moved < 0 ? errno : at_none};
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
  std::memset(to + held, 0, count * page_size - held);
  return std::nullopt;
}

std::optional<failed_transfer> file_io::write(page_number first, std::size_t count,
                                              const std::byte* from) const noexcept {
  return transfer(failure::operation::write, EIO, first, count, static_cast<bool>(spill_),
                  [from](int descriptor, std::size_t done, std::size_t bytes, std::uint64_t offset) {
                    return os::write_once(descriptor, from + done, bytes, offset);
                  });
}

bool file_io::is_direct(const page_transfer& run, bool writes) const noexcept {
  if (writes ? static_cast<bool>(spill_) : run.spilled) return static_cast<bool>(direct_spill_);
  return direct_ && (std::uint64_t{run.first} + run.count) * page_size <= size_;
}

std::span<os::transfer_request> file_io::direct_requests(
    std::span<page_transfer> runs, bool writes, std::span<os::transfer_request> requests) const noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    page_transfer& run = runs[i];
    run.failed.reset();
    if (!is_direct(run, writes)) continue;
    const bool spilled = writes ? static_cast<bool>(spill_) : run.spilled;
    const os::file& file = spilled ? direct_spill_ : direct_;
    requests[count++] = {file.descriptor(),
                         writes,
                         run.memory,
                         run.count * page_size,
                         offset_of(run.first),  // in the spill file too
                         0,
                         i};
  }
  return requests.first(count);
}

void file_io::read_each(std::span<page_transfer> runs, os::parallel_io& io,
                        std::span<os::transfer_request> requests, arrival done,
                        void* context) const noexcept {
  io.run(direct_requests(runs, false, requests), [&](const os::transfer_request& request) {
    page_transfer& run = runs[request.tag];
    // A transfer that was cut short, or failed, is done once more, by plain calls.
    if (!is_whole(request)) run.failed = read(run.first, run.count, run.spilled, run.memory);
    done(context, run);
  });
  for (page_transfer& run : runs) {
    if (is_direct(run, false)) continue;
    run.failed = read(run.first, run.count, run.spilled, run.memory);
    done(context, run);
  }
}

void file_io::write_all(std::span<page_transfer> runs, os::parallel_io& io,
                        std::span<os::transfer_request> requests) noexcept {
  io.run(direct_requests(runs, true, requests), [&](const os::transfer_request& request) {
    page_transfer& run = runs[request.tag];
    if (!is_whole(request)) run.failed = write(run.first, run.count, run.memory);
  });
  for (page_transfer& run : runs)
    if (!is_direct(run, true)) run.failed = write(run.first, run.count, run.memory);
}

void file_io::drop_cached() const noexcept {
  if (!direct_)
    ::posix_fadvise(file_.descriptor(), static_cast<off_t>(begin_), static_cast<off_t>(size_),
                    POSIX_FADV_DONTNEED);
  if (spill_ && !direct_spill_) ::posix_fadvise(spill_.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace perdure::pager::detail
