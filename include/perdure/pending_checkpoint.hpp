// A checkpoint that is being made durable while the program goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <utility>

namespace perdure {

/// The handle of an asynchronous checkpoint, returned by `checkpoint_async`. Copies speak of the same
/// checkpoint. A handle may outlive the store. Thread-safe.
class [[nodiscard]] pending_checkpoint {
 public:
  /// Makes a handle, for backings: of the epoch, or of what kept it from being made.
  explicit pending_checkpoint(std::shared_future<std::uint64_t> outcome) : outcome_(std::move(outcome)) {}
  /// Makes a handle of a checkpoint that is done.
  static pending_checkpoint done(std::uint64_t epoch) {
    std::promise<std::uint64_t> known;
    known.set_value(epoch);
    return pending_checkpoint(known.get_future().share());
  }

  /// Waits until the checkpoint is durable, or throws why it is not (`no_space`, `io`, ...); as often as it
  /// is called.
  void wait() const { outcome_.get(); }
  /// Returns whether the outcome is known, so that `wait` returns at once.
  bool ready() const { return outcome_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  /// Waits. Returns what `wait` would throw, or null.
  std::exception_ptr error() const {
    try {
      outcome_.get();
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }
  /// Waits. Returns the checkpoint's number. Throws as `wait` does.
  std::uint64_t epoch() const { return outcome_.get(); }

 private:
  std::shared_future<std::uint64_t> outcome_;
};

}  // namespace perdure
