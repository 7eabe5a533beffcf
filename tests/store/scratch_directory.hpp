// A directory of its own for each test, removed afterwards.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace perdure {

/// Where syncing costs nothing, for tests of logic rather than of file systems.
inline std::filesystem::path fast_directory() {
  return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
}

class scratch_directory : public ::testing::Test {
 protected:
  explicit scratch_directory(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "perdure-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name + " failed");
    root_ = name;
  }
  ~scratch_directory() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  std::filesystem::path path(const std::string& name = "store") const { return root_ / name; }

 private:
  std::filesystem::path root_;
};

}  // namespace perdure
