// Numbers as people read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace perdure::cli {

/// 16,777,216
std::string grouped(std::uint64_t number);
/// "1 edge", "2 edges"
std::string counted(std::uint64_t number, const char* singular, const char* plural);
/// 1.5 GiB
std::string in_bytes(std::uint64_t bytes);
/// 0.21 ms, 3.45 s
std::string in_seconds(double seconds);
/// 5.2 M
std::string per_second(double rate);

/// Wall time since it was made.
class stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace perdure::cli
