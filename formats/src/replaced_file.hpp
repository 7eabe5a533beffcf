// A file or directory that has its name once it is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace perdure::formats {

class replaced_file {
 public:
  /// Nothing is made yet. Pipes and devices, and "-", are written where they are.
  explicit replaced_file(std::filesystem::path path);
  replaced_file(const replaced_file&) = delete;
  replaced_file& operator=(const replaced_file&) = delete;
  /// Removes what has not been finished.
  ~replaced_file();

  /// Where the new content goes; nothing is there of that name.
  const std::filesystem::path& written() const noexcept { return temporary_.empty() ? path_ : temporary_; }
  /// Refuses a file of at least so many bytes that its file system has no room for; `advice` says what to do.
  /// `no_space`.
  void require_space(std::uint64_t bytes, const std::string& advice) const;
  /// Gives it its name, in the place of a file, an empty directory or one of zarr. `already_exists` for a
  /// directory of anything else, `io`.
  void finish();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: written in place
};

}  // namespace perdure::formats
