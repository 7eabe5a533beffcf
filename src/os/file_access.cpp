#include "os/file_access.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "os/system_error.hpp"

namespace perdure::os {

namespace {

constexpr const char* access_list = "system.posix_acl_access";

// A new file may have got a list of its own by that of its directory.
bool give_same_access_list(const file& from, const file& to) {
  const ssize_t bytes = ::fgetxattr(from.descriptor(), access_list, nullptr, 0);
  if (bytes < 0) {
    if (errno != ENODATA && errno != EOPNOTSUPP) return false;
    return ::fremovexattr(to.descriptor(), access_list) == 0 || errno == ENODATA || errno == EOPNOTSUPP;
  }
  std::vector<char> list(static_cast<std::size_t>(bytes));
  return ::fgetxattr(from.descriptor(), access_list, list.data(), list.size()) == bytes &&
         ::fsetxattr(to.descriptor(), access_list, list.data(), list.size(), 0) == 0;
}

}  // namespace

bool give_same_access(const file& from, const file& to) {
  struct stat wanted;
  struct stat own;
  if (::fstat(from.descriptor(), &wanted) != 0) throw_errno("stat", from.path().string());
  if (::fstat(to.descriptor(), &own) != 0) throw_errno("stat", to.path().string());
  if ((own.st_uid != wanted.st_uid || own.st_gid != wanted.st_gid) &&
      ::fchown(to.descriptor(), wanted.st_uid, wanted.st_gid) != 0)
    return false;
  // The list first: its mask is part of the mode.
  return give_same_access_list(from, to) && ::fchmod(to.descriptor(), wanted.st_mode & 07777) == 0;
}

}  // namespace perdure::os
