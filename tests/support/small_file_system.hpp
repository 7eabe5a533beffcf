// A test with a small file system in memory, which a store can fill.
#pragma once

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/scratch_test.hpp"

namespace perdure {

class a_small_file_system : public scratch_test {
 protected:
  explicit a_small_file_system(unsigned mebibytes = 24) {
    std::filesystem::create_directory(path("disk"));
    const std::string size = "size=" + std::to_string(mebibytes) + "m";
    mounted_ = ::geteuid() == 0 && ::mount("tmpfs", path("disk").c_str(), "tmpfs", 0, size.c_str()) == 0;
  }
  ~a_small_file_system() override {
    if (mounted_) ::umount2(path("disk").c_str(), MNT_DETACH);
  }
  std::filesystem::path store() const { return path("disk") / "store"; }

  /// Takes all pages that are free. May be called again.
  void fill_up() const {
    const int file = ::open(filler().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::vector<char> bytes(4096, 'f');
    while (::write(file, bytes.data(), bytes.size()) > 0) {
    }
    ::close(file);
  }
  void make_room() const { std::filesystem::remove(filler()); }

  bool mounted_ = false;

 private:
  std::filesystem::path filler() const { return path("disk") / "filler of all pages"; }
};

}  // namespace perdure
