// A full disk, by the limit on the sizes of this process's files.
#pragma once

#include <sys/resource.h>

#include <cstddef>

namespace perdure {

/// No file may grow beyond so many bytes: writing there fails as on a full disk. The kernel would send
/// SIGXFSZ, which is not ignored: the library must not let it come to that.
class file_size_limit {
 public:
  explicit file_size_limit(std::size_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit lower{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &lower);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;
  ~file_size_limit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace perdure
