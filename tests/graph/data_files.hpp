// Where the real test data lies, and a scratch directory.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace perdure::test {

/// The file in the data folder (`PERDURE_DATA`, else beside the source tree); empty when there is none.
inline std::filesystem::path data_file(const std::string& name) {
  const char* folder = std::getenv("PERDURE_DATA");
  const std::filesystem::path path =
      std::filesystem::path(folder != nullptr ? folder : PERDURE_DEFAULT_DATA) / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path{};
}

/// A directory that is removed at the end of the test.
class scratch_directory {
 public:
  scratch_directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "perdure-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace perdure::test
