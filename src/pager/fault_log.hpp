// Failures where no exception can be thrown: in signal handlers and in background threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <perdure/pager.hpp>
#include <string>

namespace perdure::pager::detail {

/// One transfer that failed. `error` is an errno, or 0 where the file ended too soon.
struct failed_transfer {
  failure::operation what;
  std::uint64_t offset;
  int error;
};

errc code_of(const failed_transfer& failed) noexcept;

/// A sentence about it.
std::string describe(const failed_transfer& failed, const std::string& path);

class fault_log {
 public:
  explicit fault_log(std::string path) : path_(std::move(path)) {}

  /// Keeps it if it is the first. Async-signal-safe.
  void record(const failed_transfer& failed) noexcept;
  /// Records, and writes a line to the standard error stream, at most a few times. Async-signal-safe.
  void announce(const failed_transfer& failed) noexcept;

  std::optional<failure> first() const;

 private:
  std::string path_;
  failed_transfer first_{};
  std::atomic<std::uint32_t> state_{0};  // 0: nothing, 1: `first_` is being written, 2: it is there
  std::atomic<std::uint32_t> lines_{0};
};

}  // namespace perdure::pager::detail
