// Inodes and times of birth, on the file systems that keep them.
#include "os/file_identity.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "os/system_error.hpp"

namespace perdure::os {

namespace {

constexpr std::uint64_t xfs_magic = 0x58465342;  // linux/magic.h has it from Linux 5.17 on
constexpr std::array<std::uint64_t, 4> lasting{EXT4_SUPER_MAGIC, xfs_magic, BTRFS_SUPER_MAGIC, TMPFS_MAGIC};

}  // namespace

std::optional<file_identity> lasting_identity(const file& of) {
  struct statfs system {};
  if (::fstatfs(of.descriptor(), &system) != 0) return std::nullopt;
  if (std::find(lasting.begin(), lasting.end(), static_cast<std::uint64_t>(system.f_type)) == lasting.end())
    return std::nullopt;
  struct statx status {};
  if (::statx(of.descriptor(), "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status) != 0)
    throw_errno("stat", of.path().string());
  file_identity found{status.stx_ino, 0};
  if ((status.stx_mask & STATX_BTIME) != 0) {
    found.born_ns =
        static_cast<std::uint64_t>(status.stx_btime.tv_sec) * 1'000'000'000 + status.stx_btime.tv_nsec;
  }
  return found;
}

std::uint64_t names_of(const file& directory, const std::string& name) {
  struct stat status;
  if (::fstatat(directory.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
    return status.st_nlink;
  if (errno != ENOENT) throw_errno("stat", (directory.path() / name).string());
  return 0;
}

}  // namespace perdure::os
