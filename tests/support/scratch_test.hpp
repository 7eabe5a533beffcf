// A test that has a directory of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/scratch_directory.hpp"

namespace perdure {

class scratch_test : public ::testing::Test {
 protected:
  scratch_test() = default;
  explicit scratch_test(const std::filesystem::path& parent) : scratch_(parent) {}

  std::filesystem::path path(const std::string& name = "store") const { return scratch_.path(name); }

 private:
  scratch_directory scratch_;
};

}  // namespace perdure
