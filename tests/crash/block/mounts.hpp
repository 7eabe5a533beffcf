// Mounts that go when the process does, however it ends.
#pragma once

#include <filesystem>
#include <string>

namespace perdure::crash {

/// Puts the process into a mount namespace of its own: the kernel unmounts what is left when its last
/// process is gone. Before the first thread. Throws `not_possible`.
void keep_mounts_private();

/// A file system, mounted while the object lives.
class mounted {
 public:
  /// Throws std::system_error.
  mounted(const std::filesystem::path& device, std::filesystem::path place, const std::string& kind,
          const std::string& options);
  mounted(const mounted&) = delete;
  mounted& operator=(const mounted&) = delete;
  ~mounted();

  /// Writes back what is dirty; throws std::system_error.
  void unmount();

 private:
  std::filesystem::path place_;
  bool is_mounted_ = true;
};

}  // namespace perdure::crash
