// A copy of a store that is being made while the program goes on.
#pragma once

#include <memory>

namespace perdure {

/// The handle of a copy that a thread of its own makes, returned by `copy_async`. Copies of the handle speak
/// of the same copy; the destructor of the last one waits for it. Thread-safe.
class [[nodiscard]] pending_copy {
 public:
  class outcome;  ///< Says how it ended; opaque.
  /// Takes over a copy that has begun.
  explicit pending_copy(std::shared_ptr<const outcome> of) noexcept;

  /// Waits until the copy is there, durably, or throws what `copy` throws; as often as it is called.
  void wait() const;
  /// Returns whether the thread is done, so that `wait` returns at once.
  bool ready() const;

 private:
  std::shared_ptr<const outcome> outcome_;
};

}  // namespace perdure
