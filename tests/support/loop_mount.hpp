// A file system of a wanted kind in a file, mounted while the object lives. Needs root and the kind's tools.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace perdure {

class loop_mount {
 public:
  loop_mount(const std::string& kind, std::filesystem::path image, std::filesystem::path place,
             std::uint64_t bytes = std::uint64_t{512} << 20)
      : place_(std::move(place)) {
    if (::geteuid() != 0) {
      why_not_ = "mounting needs root";
      return;
    }
    std::filesystem::create_directories(place_);
    const std::string file = "'" + image.string() + "'";
    run("truncate -s " + std::to_string(bytes) + ' ' + file, "no room for the image");
    run("mkfs." + kind + " -q " + file, "mkfs." + kind + " is missing or failed");
    run("mount -o loop " + file + " '" + place_.string() + "'",
        "loop mounts of " + kind + " are not allowed");
    mounted_ = why_not_.empty();
  }
  loop_mount(const loop_mount&) = delete;
  loop_mount& operator=(const loop_mount&) = delete;
  ~loop_mount() {
    if (mounted_) run("umount -l '" + place_.string() + "'", "");
  }

  explicit operator bool() const { return mounted_; }
  const std::string& why_not() const { return why_not_; }
  const std::filesystem::path& path() const { return place_; }

 private:
  void run(const std::string& command, const std::string& failure) {
    if (!why_not_.empty()) return;
    if (std::system((command + " >/dev/null 2>&1").c_str()) != 0) why_not_ = failure;
  }

  std::filesystem::path place_;
  std::string why_not_;
  bool mounted_ = false;
};

}  // namespace perdure
