// A checkpoint that is being made durable while the program goes on.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>

namespace perdure {

/// The handle of an asynchronous checkpoint, returned by `checkpoint_async`. Copies speak of the same
/// checkpoint. A handle may outlive the store. Thread-safe.
class [[nodiscard]] pending_checkpoint {
 public:
  class outcome;  ///< Says how it ended; opaque.
  /// Makes a handle, for backings: of the epoch, or of what kept it from being made.
  explicit pending_checkpoint(std::shared_ptr<const outcome> of) noexcept;
  /// Makes a handle of a checkpoint that is done.
  static pending_checkpoint done(std::uint64_t epoch);

  /// Waits until the checkpoint is durable, or throws why it is not (`no_space`, `io`, ...); as often as it
  /// is called.
  void wait() const;
  /// Returns whether the outcome is known, so that `wait` returns at once.
  bool ready() const;
  /// Waits. Returns what `wait` would throw, or null.
  std::exception_ptr error() const;
  /// Waits. Returns the checkpoint's number. Throws as `wait` does.
  std::uint64_t epoch() const;

 private:
  std::shared_ptr<const outcome> outcome_;
};

}  // namespace perdure
