// Lines for people whose program touches memory in a way that ends it.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>

#include "os/memory_faults.hpp"

namespace perdure::os {

/// Whole lines; an empty one is not written.
struct fault_lines {
  std::string write;       ///< memory was written to that may only be read
  std::string unreadable;  ///< the kernel has no page to give: SIGBUS
  std::string closed;      ///< memory was used after the notice ended
};

/// While it lives, a touch of [base, base + bytes) that no watch answers writes its line on the standard
/// error stream, once, and then is the signal that it would be without. Afterwards so does a touch of what
/// was there, as long as nothing that has a notice lies there and fewer than 16 others have ended since.
class fault_notice {
 public:
  /// Throws std::system_error.
  fault_notice(std::byte* base, std::size_t bytes, fault_lines lines);
  fault_notice(const fault_notice&) = delete;
  fault_notice& operator=(const fault_notice&) = delete;
  ~fault_notice();

 private:
  static bool on_segv(void* self, std::byte* address, touch how) noexcept;
  static bool on_bus_error(void* self, std::byte* address, touch how) noexcept;

  std::byte* base_;
  std::size_t bytes_;
  fault_lines lines_;
  std::atomic<bool> is_told_{false};
  std::optional<fault_watch> of_segv_;
  std::optional<fault_watch> of_bus_errors_;
};

}  // namespace perdure::os
