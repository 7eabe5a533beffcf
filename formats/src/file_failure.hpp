// Failed system calls on files as errors that name the file.
#pragma once

#include <cerrno>
#include <filesystem>
#include <perdure/error.hpp>
#include <string>
#include <system_error>

namespace perdure::formats {

/// "PATH: cannot ACTION: why".
[[noreturn]] inline void fail_with(const std::filesystem::path& path, const char* action, int number) {
  const errc code = number == ENOENT || number == ENOTDIR                     ? errc::not_found
                    : number == EACCES || number == EPERM                     ? errc::permission_denied
                    : number == ENOSPC || number == EDQUOT || number == EFBIG ? errc::no_space
                                                                              : errc::io;
  throw error(code, path.string() + ": cannot " + action + ": " + std::generic_category().message(number) +
                        (number == EFBIG ? ": the limit on file sizes (`ulimit -f`) is reached" : ""));
}

}  // namespace perdure::formats
