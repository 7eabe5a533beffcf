// Holds up threads that store to a part of memory, for as long as another needs its bytes to stand still.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "os/guarded_range.hpp"
#include "os/memory_faults.hpp"

namespace perdure::os {

/// The gate of one range of memory. A fault handler asks it (`pass`), one thread at a time shuts and opens
/// it. It changes no protection itself: a shut part must be made read-only after `shut`, and writable before
/// `open`. In a forked child, where nobody would open it, it holds nobody up.
class write_gate {
 public:
  /// Shuts [begin, end). Handlers that passed before have left when it returns.
  void shut(std::byte* begin, std::byte* end) noexcept;
  void open() noexcept;

  /// In a fault handler: waits while `address` is in the shut part, then calls `admit`, which no `shut`
  /// overtakes. Async-signal-safe if `admit` is.
  template <class Admit>
  bool pass(std::byte* address, Admit&& admit) noexcept {
    enter(address);
    const bool admitted = admit();
    leave();
    return admitted;
  }

  /// Whether it is shut for any of [begin, end).
  bool is_shut_for(std::byte* begin, std::byte* end) const noexcept;

 private:
  bool is_inherited() const noexcept;
  void enter(std::byte* address) noexcept;
  void leave() noexcept { inside_.fetch_sub(1); }

  std::atomic<std::byte*> begin_{nullptr};
  std::atomic<std::byte*> end_{nullptr};
  std::atomic<std::uint32_t> turns_{0};  // odd while shut; what waiting threads sleep on
  std::atomic<std::uint32_t> inside_{0};
  std::atomic<int> owner_{0};  // process that shut it last
};

/// The same for memory that is writable whenever the gate is open, protection included. The fault handler is
/// installed by the first `hold`.
class write_hold {
 public:
  explicit write_hold(guarded_range& memory) : memory_(memory) {}

  /// [0, end) is in use. A store to what is not is a mistake of the program's.
  void opened(std::size_t end) noexcept;

  /// From now on threads that store to [offset, offset + bytes) wait. Throws std::system_error.
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
