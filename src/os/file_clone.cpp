// Copies files, by sharing their blocks where the file system can.
#include "os/file_clone.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <vector>

#include "base/file_size_limit.hpp"
#include "os/system_error.hpp"

namespace perdure::os {

bool share_blocks(const file& from, const file& to) {
  if (const std::uint64_t bytes = from.size(); bytes != 0 && base::is_beyond_file_size_limit(bytes - 1))
    throw_errno("clone", to.path().string(), EFBIG);
  int result;
  do {
    result = ::ioctl(to.descriptor(), FICLONE, from.descriptor());
  } while (result != 0 && errno == EINTR);
  if (result == 0) return true;
  switch (errno) {
    case EOPNOTSUPP:
    case ENOTTY:
    case ENOSYS:
    case EXDEV:
    case EINVAL:
    case EPERM:
    case EACCES:
      return false;
    default:
      throw_errno("clone", to.path().string());
  }
}

bool can_share_blocks(const file& directory, const file& of) noexcept {
  try {
    const file probe(::openat(directory.descriptor(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600),
                     directory.path());
    return probe && share_blocks(of, probe);
  } catch (const std::exception&) {
    return false;
  }
}

void copy_range(const file& from, const file& to, std::uint64_t offset, std::uint64_t bytes) {
  off_t in = static_cast<off_t>(offset);
  off_t out = in;
  while (bytes != 0 && !base::is_beyond_file_size_limit(static_cast<std::uint64_t>(out))) {
    const ssize_t copied =
        ::copy_file_range(from.descriptor(), &in, to.descriptor(), &out, static_cast<std::size_t>(bytes), 0);
    if (copied < 0 && errno == EINTR) continue;
    if (copied <= 0) break;  // the loop below does it, or meets what is wrong
    bytes -= static_cast<std::uint64_t>(copied);
  }
  if (bytes == 0) return;
  std::vector<char> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, std::uint64_t{1} << 20)));
  std::uint64_t at = static_cast<std::uint64_t>(in);
  while (bytes != 0) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, buffer.size()));
    const std::size_t got = from.read_at(buffer.data(), wanted, at);
    if (got == 0) return;  // the file ends here
    to.write_at(buffer.data(), got, at);
    at += got;
    bytes -= got;
  }
}

void limit_copy_on_write(const file& of, std::uint32_t bytes) noexcept {
  fsxattr attributes{};
  if (::ioctl(of.descriptor(), FS_IOC_FSGETXATTR, &attributes) != 0) return;
  if ((attributes.fsx_xflags & FS_XFLAG_COWEXTSIZE) != 0 && attributes.fsx_cowextsize == bytes) return;
  attributes.fsx_xflags |= FS_XFLAG_COWEXTSIZE;
  attributes.fsx_cowextsize = bytes;
  static_cast<void>(::ioctl(of.descriptor(), FS_IOC_FSSETXATTR, &attributes));
}

void overwrite_in_place(const file& empty) noexcept {
  int flags = 0;
  if (::ioctl(empty.descriptor(), FS_IOC_GETFLAGS, &flags) != 0) return;
  flags |= FS_NOCOW_FL;
  static_cast<void>(::ioctl(empty.descriptor(), FS_IOC_SETFLAGS, &flags));
}

}  // namespace perdure::os
