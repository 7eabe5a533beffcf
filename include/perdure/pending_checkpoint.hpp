// A checkpoint that is being made durable while the program goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <utility>

namespace perdure {

/// What `checkpoint_async` gives. Copies speak of the same checkpoint; it may outlive the store. Thread-safe.
class [[nodiscard]] pending_checkpoint {
 public:
  /// For backings to make: the epoch, or what kept it from being made.
  explicit pending_checkpoint(std::shared_future<std::uint64_t> outcome) : outcome_(std::move(outcome)) {}
  /// One that needs no waiting for.
  static pending_checkpoint done(std::uint64_t epoch) {
    std::promise<std::uint64_t> known;
    known.set_value(epoch);
    return pending_checkpoint(known.get_future().share());
  }

  /// Waits until it is durable, or throws why it is not (`no_space`, `io`, ...); as often as it is called.
  void wait() const { outcome_.get(); }
  /// Whether the outcome is known, so that `wait` returns at once.
  bool ready() const { return outcome_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  /// Waits; what `wait` would throw, or null.
  std::exception_ptr error() const {
    try {
      outcome_.get();
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }
  /// Waits; the checkpoint's number. Throws as `wait` does.
  std::uint64_t epoch() const { return outcome_.get(); }

 private:
  std::shared_future<std::uint64_t> outcome_;
};

}  // namespace perdure
