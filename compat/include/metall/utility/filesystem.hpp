// Files and directories.
#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

namespace metall::utility::filesystem {

/// Removes a file, or a directory with all that is in it. True if nothing is there afterwards.
inline bool remove(const std::string_view path) noexcept {
  try {
    std::error_code failure;
    std::filesystem::remove_all(std::filesystem::path(path), failure);
    return !failure;
  } catch (...) {
    return false;
  }
}

}  // namespace metall::utility::filesystem
