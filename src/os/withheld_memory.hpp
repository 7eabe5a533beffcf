// Memory that forked children do not get.
//
// The copy that a child gets at a fork may not stay as it was: untouched pages of a private mapping are those
// of the file, and show what the parent writes there later.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>

#include "os/memory_faults.hpp"

namespace perdure::os {

/// While it lives a child of fork() finds [base, base + bytes) taken and inaccessible. The first touch there
/// writes `sentence`, a whole line, on the standard error stream, and every touch is the SIGSEGV that it
/// would be if no library had a handler. System calls fail with EFAULT. Children that share the memory of
/// their parent (vfork, posix_spawn) are not concerned, nor are children of a bare clone(2).
class withheld_memory {
 public:
  /// All of the range must be mapped, and be one owner's. Throws std::system_error.
  withheld_memory(std::byte* base, std::size_t bytes, std::string sentence);
  withheld_memory(const withheld_memory&) = delete;
  withheld_memory& operator=(const withheld_memory&) = delete;
  /// In a child it frees the range. In the parent the memory must still be mapped, as another thread may fork
  /// just before.
  ~withheld_memory();

  /// Returns whether this is a child, which does not have the memory.
  bool is_gone() const noexcept { return is_gone_.load(std::memory_order_relaxed); }

 private:
  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();
  static bool on_touch(void* self, std::byte* address, touch how) noexcept;
  void take_away() noexcept;

  static withheld_memory* first_;
  withheld_memory* next_ = nullptr;

  std::byte* base_;
  std::size_t bytes_;
  std::string sentence_;
  bool is_left_out_ = false;  // the child of the fork under way does not get it
  bool is_taken_ = false;     // in this child the range is taken by an inaccessible mapping
  std::atomic<bool> is_gone_{false};
  std::atomic<bool> is_told_{false};
  std::optional<fault_watch> watch_;
};

}  // namespace perdure::os
