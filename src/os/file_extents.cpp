// Asks the file system where a sparse file has data.
#include "os/file_extents.hpp"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "os/system_error.hpp"

namespace perdure::os {

namespace {

bool does_not_tell_of_holes(int error) noexcept {
  return error == EINVAL || error == EOPNOTSUPP;
}

}  // namespace

std::optional<std::uint64_t> next_data(const file& sparse, std::uint64_t offset) {
  const off_t found = ::lseek(sparse.descriptor(), static_cast<off_t>(offset), SEEK_DATA);
  if (found >= 0) return static_cast<std::uint64_t>(found);
  if (errno == ENXIO) return std::nullopt;
  if (!does_not_tell_of_holes(errno)) throw_errno("look for data in", sparse.path().string());
  if (offset >= sparse.size()) return std::nullopt;
  return offset;
}

std::uint64_t next_hole(const file& sparse, std::uint64_t offset) {
  const off_t found = ::lseek(sparse.descriptor(), static_cast<off_t>(offset), SEEK_HOLE);
  if (found >= 0) return static_cast<std::uint64_t>(found);
  if (errno != ENXIO && !does_not_tell_of_holes(errno))
    throw_errno("look for a hole in", sparse.path().string());
  return sparse.size();
}

std::vector<file_part> data_within(int descriptor, std::uint64_t begin, std::uint64_t end) {
  return data_walk().within(descriptor, begin, end);
}

std::vector<file_part> data_walk::within(int descriptor, std::uint64_t begin, std::uint64_t end) {
  std::vector<file_part> parts;
  if (descriptor == descriptor_ && begin >= asked_end_ && begin < std::min(end, data_end_)) {
    parts.push_back({begin, std::min(end, data_end_)});
    begin = parts.back().end;
  } else {
    data_end_ = 0;
  }
  while (begin < end) {
    const off_t data = ::lseek(descriptor, static_cast<off_t>(begin), SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;
    if (data < 0 && !does_not_tell_of_holes(errno)) throw_errno("look for data in", "a file");
    const std::uint64_t from = data < 0 ? begin : static_cast<std::uint64_t>(data);
    if (from >= end) break;
    const off_t hole = ::lseek(descriptor, static_cast<off_t>(from), SEEK_HOLE);
    if (hole < 0 && errno != ENXIO && !does_not_tell_of_holes(errno))
      throw_errno("look for a hole in", "a file");
    // ENXIO: the part has become a hole meanwhile.
    data_end_ = hole < 0 ? end : static_cast<std::uint64_t>(hole);
    begin = std::min(end, data_end_);
    parts.push_back({from, begin});
  }
  descriptor_ = descriptor;
  asked_end_ = end;
  return parts;
}

bool fills_touched_holes(const file& mapped) noexcept {
  struct statfs status;
  if (::fstatfs(mapped.descriptor(), &status) != 0) return false;
  if (status.f_type == TMPFS_MAGIC) return true;
  if (status.f_type != OVERLAYFS_SUPER_MAGIC) return false;
  // An overlay maps the files of the file systems below it. Of those only such in memory have no extents.
  fiemap extents;
  std::memset(&extents, 0, sizeof extents);
  extents.fm_length = 1;
  return ::ioctl(mapped.descriptor(), FS_IOC_FIEMAP, &extents) != 0 && errno == EOPNOTSUPP;
}

}  // namespace perdure::os
