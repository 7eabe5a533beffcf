// A file as a block device.
#pragma once

#include <filesystem>

namespace perdure::crash {

/// Detached by the kernel when neither this object nor a mount uses it any more. Flushes of the device are
/// fsyncs of the file.
class loop_device {
 public:
  /// Throws `not_possible`.
  explicit loop_device(const std::filesystem::path& file);
  loop_device(const loop_device&) = delete;
  loop_device& operator=(const loop_device&) = delete;
  ~loop_device();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace perdure::crash
