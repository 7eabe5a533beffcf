// A timer of processor time, and a limit on address space above what the process has.
#include "library_limits.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <system_error>

namespace perdure::cli {
namespace {

constexpr std::uint64_t least_seconds = 3;
constexpr std::uint64_t least_memory = std::uint64_t{1} << 30;
constexpr std::uint64_t memory_per_byte = 64;

void set_timer(std::uint64_t seconds) noexcept {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

/// Bytes of address space in use; 0 if the kernel does not say.
std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

library_limits::library_limits(const std::filesystem::path& file, bool is_limited) {
  if (!is_limited) return;
  std::error_code problem;
  std::uint64_t bytes = std::filesystem::file_size(file, problem);
  if (problem) bytes = 0;
  seconds_ = least_seconds + (bytes >> 20);
  memory_ = least_memory + bytes * memory_per_byte;
}

void library_limits::begin() {
  if (seconds_ == 0) return;
  end();
  const std::uint64_t used = address_space();
  if (used != 0 && ::getrlimit(RLIMIT_AS, &before_) == 0) {
    rlimit limit = before_;
    limit.rlim_cur = std::min<rlim_t>(before_.rlim_cur, used + memory_);
    is_set_ = ::setrlimit(RLIMIT_AS, &limit) == 0;
  }
  set_timer(seconds_);
}

void library_limits::step() const {
  if (seconds_ != 0) set_timer(seconds_);
}

void library_limits::end() noexcept {
  if (seconds_ == 0) return;
  set_timer(0);
  if (is_set_) ::setrlimit(RLIMIT_AS, &before_);
  is_set_ = false;
}

}  // namespace perdure::cli
