// Writes beside a file, then replaces it.
#include "replaced_file.hpp"

#include <sys/statvfs.h>

#include <perdure/error.hpp>
#include <perdure/workload/part_files.hpp>
#include <string>
#include <system_error>
#include <utility>

namespace perdure::formats {

replaced_file::replaced_file(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  const bool is_in_place =
      path_ == "-" || (std::filesystem::exists(status) && !std::filesystem::is_directory(status) &&
                       !std::filesystem::is_regular_file(status));
  if (is_in_place) return;
  if (path_.filename().empty()) path_ = path_.parent_path();
  temporary_ = workload::part_name(path_);
}

replaced_file::~replaced_file() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

void replaced_file::require_space(std::uint64_t bytes, const std::string& advice) const {
  if (temporary_.empty()) return;
  struct statvfs there {};
  const std::filesystem::path directory = path_.has_parent_path() ? path_.parent_path() : ".";
  // Some file systems do not say how large they are.
  if (::statvfs(directory.c_str(), &there) != 0 || there.f_blocks == 0) return;
  const std::uint64_t blocks = bytes / there.f_frsize;
  if (blocks <= there.f_bavail) return;
  throw error(errc::no_space, path_.string() + ": it would have at least " + std::to_string(bytes) +
                                  " bytes, and its file system has " +
                                  std::to_string(there.f_bavail * there.f_frsize) + " left: " + advice);
}

void replaced_file::finish() {
  if (temporary_.empty()) return;
  // No rename replaces a directory that has something in it. It may be one of anything: only what could have
  // been written here is removed.
  if (std::filesystem::is_directory(path_)) {
    if (!std::filesystem::exists(path_ / "zarr.json") && !std::filesystem::is_empty(path_))
      throw error(errc::already_exists, path_.string() + " is a directory with something else in it");
    std::filesystem::remove_all(path_);
  }
  std::error_code problem;
  std::filesystem::rename(temporary_, path_, problem);
  if (problem) throw error(errc::io, path_.string() + ": cannot create: " + problem.message());
  temporary_.clear();
}

}  // namespace perdure::formats
