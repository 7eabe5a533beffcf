// Messages for failed system calls: what they mean to a person, and what to do.
#include "store/file/failure.hpp"

#include <cerrno>

#include "os/mapping.hpp"

namespace perdure::store {

namespace {

std::string advice(const std::system_error& failure) {
  switch (failure.code().value()) {
    case EACCES:
    case EPERM:
      return "; check the owner and mode of the directory and its files";
    case EROFS:
      return "; the file system is read-only: open the store for reading";
    case ENOSPC:
      return "; free some disk space and try again";
    case EDQUOT:
      return "; your disk quota is used up";
    case EFBIG:
      return "; the limit on file sizes (`ulimit -f`, or the file system's own) is reached";
    case ENOMEM:
      return "; raise what limits it, " + os::mapping_limits_in_words() +
             ", or give the store a smaller capacity";
    case ELOOP:
      return "; a symbolic link stands where a file of the store must be";
    case ENXIO:
      return "; a FIFO, socket, device or directory stands where a file of the store must be: see what has "
             "put it "
             "there, remove it, and restore a copy";
    case EMFILE:
      return "; raise `ulimit -n`";
    case EIO:
      return "; the device reports an error: see the kernel's log";
    default:
      return "";
  }
}

}  // namespace

void throw_failure(const std::string& action, const std::filesystem::path& store,
                   const std::system_error& failure) {
  throw error(base::code_of(failure),
              "cannot " + action + " " + store.string() + ": " + failure.what() + advice(failure));
}

bool is_refusal(const std::system_error& failure) noexcept {
  const int code = failure.code().value();
  return code == EACCES || code == EPERM || code == EROFS;
}

void throw_damaged(const std::filesystem::path& file, const std::string& what) {
  throw error(errc::damaged, file.string() + " is damaged: " + what);
}

}  // namespace perdure::store
