// A directory for what a test or a rig writes, gone afterwards.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace perdure {

/// Where syncing costs nothing, for tests of logic rather than of file systems.
inline std::filesystem::path fast_directory() {
  return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
}

class scratch_directory {
 public:
  explicit scratch_directory(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "perdure-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name + " failed");
    directory_ = name;
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory() {
    std::error_code ignored;
    if (!is_kept_) std::filesystem::remove_all(directory_, ignored);
  }

  /// The directory itself.
  const std::filesystem::path& directory() const { return directory_; }
  /// Of something in it; there is nothing yet.
  std::filesystem::path path(const std::string& name = "store") const { return directory_ / name; }
  std::filesystem::path operator/(const std::string& name) const { return directory_ / name; }
  /// Makes a file in it.
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(directory_ / name, std::ios::binary) << content;
    return directory_ / name;
  }
  /// Leaves it behind, for someone to look at.
  void keep() { is_kept_ = true; }

 private:
  std::filesystem::path directory_;
  bool is_kept_ = false;
};

}  // namespace perdure
