// A test with a file system of 24 MiB, which a store can fill.
#pragma once

#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

#include "support/scratch_test.hpp"

namespace perdure {

class a_small_file_system : public scratch_test {
 protected:
  a_small_file_system() {
    std::filesystem::create_directory(path("disk"));
    mounted_ = ::geteuid() == 0 && ::mount("tmpfs", path("disk").c_str(), "tmpfs", 0, "size=24m") == 0;
  }
  ~a_small_file_system() override {
    if (mounted_) ::umount2(path("disk").c_str(), MNT_DETACH);
  }
  std::filesystem::path store() const { return path("disk") / "store"; }
  bool mounted_ = false;
};

}  // namespace perdure
