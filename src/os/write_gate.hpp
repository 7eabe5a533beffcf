// Holds up threads that write to a part of memory, as long as another thread needs its bytes to stay as they
// are.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/owner_process.hpp"
#include "os/guarded_range.hpp"
#include "os/memory_faults.hpp"

namespace perdure::os {

/// The gate of one range of memory. Fault handlers pass it (`pass`), and one thread at a time shuts and opens
/// it. It changes no protection itself: the part must be made read-only after `shut`, and writable before
/// `open`. In a forked child, where no thread would open it, it holds no thread up.
class write_gate {
 public:
  /// Shuts [begin, end). Handlers that passed before have left when it returns.
  void shut(std::byte* begin, std::byte* end) noexcept;
  void open() noexcept;

  /// To be called in a fault handler: waits while `address` is in the shut part, then calls `admit`; a `shut`
  /// that begins meanwhile waits for it. Async-signal-safe if `admit` is.
  template <class Admit>
  bool pass(std::byte* address, Admit&& admit) noexcept {
    enter(address);
    const bool admitted = admit();
    leave();
    return admitted;
  }

  /// Returns whether the gate is shut for any byte of [begin, end).
  bool is_shut_for(std::byte* begin, std::byte* end) const noexcept;

 private:
  bool is_inherited() const noexcept;
  void enter(std::byte* address) noexcept;
  void leave() noexcept { inside_.fetch_sub(1); }

  std::atomic<std::byte*> begin_{nullptr};
  std::atomic<std::byte*> end_{nullptr};
  std::atomic<std::uint32_t> turns_{0};  // odd while shut; what waiting threads sleep on
  std::atomic<std::uint32_t> inside_{0};
  std::atomic<base::owner_process> owner_{base::owner_process::nobody()};  // who shut it last
};

/// A gate that changes the protection itself, for memory that is writable whenever the gate is open. The
/// first `hold` installs the fault handler.
class write_hold {
 public:
  explicit write_hold(guarded_range& memory) : memory_(memory) {}

  /// [0, end) is in use. A thread that writes behind it makes a mistake, and gets the SIGSEGV.
  void opened(std::size_t end) noexcept;

  /// From now on threads that write to [offset, offset + bytes) wait. Throws std::system_error.
  void hold(std::size_t offset, std::size_t bytes);
  void release(std::size_t offset, std::size_t bytes) noexcept;
  void detach() noexcept { watch_.reset(); }

 private:
  static bool on_write(void* self, std::byte* address, touch how) noexcept;

  guarded_range& memory_;
  std::atomic<std::size_t> open_{0};
  write_gate gate_;
  std::optional<fault_watch> watch_;
};

}  // namespace perdure::os
