// Tests that publish what regions do, and tests of who is seen to: one at a time on a machine.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace perdure {

/// No other process of these tests has one meanwhile. Waits for it.
class sole_publisher {
 public:
  sole_publisher()
      : descriptor_(::open((std::filesystem::temp_directory_path() / "perdure-publishing-tests").c_str(),
                           O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  sole_publisher(const sole_publisher&) = delete;
  sole_publisher& operator=(const sole_publisher&) = delete;
  ~sole_publisher() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

 private:
  int descriptor_;
};

}  // namespace perdure
