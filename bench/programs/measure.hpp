// What the benchmarks measure: wall and CPU time, user instructions, resident memory, bytes written.
#pragma once

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace perdure::bench {

inline double clock_seconds(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline double wall_seconds() noexcept {
  return clock_seconds(CLOCK_MONOTONIC);
}
/// CPU time of the whole process, user and system.
inline double process_cpu_seconds() noexcept {
  return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}
/// CPU time of the calling thread, user and system.
inline double thread_cpu_seconds() noexcept {
  return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

/// Wall and CPU time of the process since construction.
class stopwatch {
 public:
  stopwatch() noexcept : wall_(wall_seconds()), cpu_(process_cpu_seconds()) {}
  double wall() const noexcept { return wall_seconds() - wall_; }
  double cpu() const noexcept { return process_cpu_seconds() - cpu_; }

 private:
  double wall_;
  double cpu_;
};

/// Counts the user-mode instructions of the calling thread, where the kernel allows it.
class instruction_counter {
 public:
  instruction_counter() noexcept {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = PERF_TYPE_HARDWARE;
    wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    descriptor_ = static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  }
  instruction_counter(const instruction_counter&) = delete;
  instruction_counter& operator=(const instruction_counter&) = delete;
  ~instruction_counter() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  bool available() const noexcept { return descriptor_ >= 0; }
  std::uint64_t read() const noexcept {
    std::uint64_t count = 0;
    if (descriptor_ < 0 || ::read(descriptor_, &count, sizeof count) != sizeof count) return 0;
    return count;
  }

 private:
  int descriptor_;
};

/// Resident bytes of this process now.
inline std::size_t resident_bytes() noexcept {
  std::FILE* statm = std::fopen("/proc/self/statm", "re");
  if (statm == nullptr) return 0;
  unsigned long long total = 0;
  unsigned long long resident = 0;
  const int fields = std::fscanf(statm, "%llu %llu", &total, &resident);
  std::fclose(statm);
  return fields == 2 ? static_cast<std::size_t>(resident) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE))
                     : 0;
}

/// Highest resident bytes of this process so far.
inline std::size_t peak_resident_bytes() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

/// Bytes the device below `directory` was asked to write since the system started, by everyone. A process's
/// own count (`write_bytes` of /proc/self/io) has whole folios for one changed block of them, so it is only
/// taken where the file system has no device.
inline std::uint64_t bytes_written(const std::filesystem::path& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) == 0) {
    std::ifstream counters("/sys/dev/block/" + std::to_string(major(status.st_dev)) + ":" +
                           std::to_string(minor(status.st_dev)) + "/stat");
    std::uint64_t value = 0;
    constexpr int sectors_written = 7;
    int field = 0;
    while (field < sectors_written && counters >> value) ++field;
    if (field == sectors_written) return value * 512;
  }
  std::ifstream io("/proc/self/io");
  std::string name;
  for (std::uint64_t value = 0; io >> name >> value;) {
    if (name == "write_bytes:") return value;
  }
  return 0;
}

/// Bytes in use on the file system of `directory`, with all that is still to be allocated.
inline std::uint64_t bytes_used(const std::filesystem::path& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    syncfs(descriptor);
    close(descriptor);
  }
  const std::filesystem::space_info space = std::filesystem::space(directory);
  return space.capacity - space.free;
}

}  // namespace perdure::bench
