// Locking the path of a store, which is a directory, or a file. (C++11, as Boost's: sources that use only
// locks come by here too.)
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/interprocess/exceptions.hpp>
#include <cerrno>
#include <string>

namespace perdure_interprocess {

namespace detail {

/// Returns the file that stands for the path. In a store this is `file_lock`, which is made where it is
/// missing, for those who may write the store. Only locks open it: a process that closes any descriptor of a
/// file loses the locks that it has on it.
inline std::string file_to_lock(const char* path) {
  const std::string store(path);
  const std::string in_store = store + "/file_lock";
  struct stat super;
  if (::stat((store + "/super").c_str(), &super) != 0 || ::access((store + "/heap.000").c_str(), F_OK) != 0)
    return store;
  const int made = ::open(in_store.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (made < 0) {
    if (errno == EEXIST) return in_store;
    throw boost::interprocess::interprocess_exception(boost::interprocess::error_info(errno));
  }
  // If this fails, the file is its maker's alone, as a new store is.
  ::fchmod(made, super.st_mode & (S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH));
  ::close(made);
  return in_store;
}

}  // namespace detail

/// Boost's file_lock, by whatever name it has, which also locks stores.
///
/// Locks belong to the process, as Boost's do on Linux: they are between processes, a forked child has none
/// of them, and those of a process end with the first of its locks of that path that is destroyed. They keep
/// nobody from opening the store.
template <class Boosts>
class basic_file_lock : public Boosts {
 public:
  basic_file_lock() = default;
  /// Opens the lock of the store, or of the file, at the path. Throws `interprocess_exception`:
  /// `not_found_error` if there is neither, `security_error` if the process may not write it.
  basic_file_lock(const char* path) : Boosts(detail::file_to_lock(path).c_str()) {}
  basic_file_lock(const std::string& path) : basic_file_lock(path.c_str()) {}
};

}  // namespace perdure_interprocess
