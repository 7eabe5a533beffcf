// A control group with a memory limit, for processes that shall have little. Needs leave to make one.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace perdure {

class memory_group {
 public:
  explicit memory_group(std::uint64_t bytes) {
    std::ifstream membership("/proc/self/cgroup");
    for (std::string line; std::getline(membership, line);) {
      const std::size_t first = line.find(':');
      const std::size_t second = line.find(':', first + 1);
      const std::string controllers = line.substr(first + 1, second - first - 1);
      const std::string own = line.substr(second + 1);
      if (controllers == "memory") {
        if (make("/sys/fs/cgroup/memory" + own, "memory.limit_in_bytes", bytes)) return;
      } else if (controllers.empty() && make("/sys/fs/cgroup" + own, "memory.max", bytes)) {
        return;
      }
    }
  }
  memory_group(const memory_group&) = delete;
  memory_group& operator=(const memory_group&) = delete;
  ~memory_group() {
    if (exists()) ::rmdir(directory_.c_str());
  }

  bool exists() const { return !directory_.empty(); }
  /// Puts this process under the limit.
  bool enter() const {
    std::ofstream list(directory_ / "cgroup.procs");
    list << ::getpid() << std::flush;
    return list.good();
  }

 private:
  bool make(const std::filesystem::path& parent, const char* limit, std::uint64_t bytes) {
    const std::filesystem::path wanted = parent / ("perdure-test-" + std::to_string(::getpid()));
    std::error_code failure;
    if (!std::filesystem::create_directory(wanted, failure)) return false;
    std::ofstream file(wanted / limit);
    file << bytes << std::flush;
    if (!file.good()) {
      ::rmdir(wanted.c_str());
      return false;
    }
    directory_ = wanted;
    return true;
  }

  std::filesystem::path directory_;
};

}  // namespace perdure
