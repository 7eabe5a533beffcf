// A directory of its own for each test, removed afterwards.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace perdure {

class scratch_directory : public ::testing::Test {
 protected:
  scratch_directory() {
    std::string name = (std::filesystem::temp_directory_path() / "perdure-test-XXXXXX").string();
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
