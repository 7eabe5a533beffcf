// Where the rigs work: in memory if possible, since they write much and nothing of it must last.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace perdure::crash {

/// A new directory, removed in the end. PERDURE_CRASH_DIR says where, if set.
class scratch {
 public:
  scratch() {
    const char* wish = std::getenv("PERDURE_CRASH_DIR");
    std::string name = wish != nullptr ? wish : ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    name += "/perdure-crash-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory " + name);
    path_ = name;
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() {
    std::error_code ignored;
    if (!is_kept_) std::filesystem::remove_all(path_, ignored);
  }
  /// Leaves it behind, for someone to look at.
  void keep() { is_kept_ = true; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool is_kept_ = false;
};

/// Whether the long form of the tests is asked for.
inline bool thorough_tests_wanted() {
  const char* wish = std::getenv("PERDURE_LONG_TESTS");
  return wish != nullptr && *wish != '\0' && *wish != '0';
}

}  // namespace perdure::crash
