// A store of an array that goes on while the program does.
#pragma once

#include <exception>
#include <memory>

namespace perdure {

namespace detail {
class running_store;
}

/// The handle of an asynchronous store, returned by `store_async` and `write_async`.
///
///     auto pending = run.store_async("temperature", t);
///     advance(velocity);   // t stays as it is
///     pending.wait();      // throws what kept t from being stored
///
/// The elements must stay as they are until the store has ended: until `wait` or `error` returns, `ready`
/// returns true, or the handle is destroyed. The destructor waits too, so that an exception that ends a
/// function cannot free elements that are being read; it must not run inside a `write_guard`. A failure that
/// the program has not asked for by `wait` or `error` is thrown by the next checkpoint.
///
/// Thread safety: const members may be called from any thread at once. A handle may outlive the store. In a
/// forked child `wait`, `ready` and `error` throw `invalid_argument`, and the destructor does not wait.
class [[nodiscard]] pending_store {
 public:
  /// Makes a handle of no store, which is ready, or takes over a store.
  ///@{
  pending_store() noexcept = default;
  explicit pending_store(std::shared_ptr<detail::running_store> of) noexcept;
  pending_store(pending_store&& other) noexcept = default;
  ///@}
  /// Waits for the store that this handle had, and takes over the other one's.
  pending_store& operator=(pending_store&& other) noexcept;
  /// Waits for the store.
  ~pending_store();

  /// Waits until the elements are stored, or throws what kept them from being stored, each time it is called:
  /// what `store` and `write` throw. `invalid_argument` inside a `write_guard` of the store.
  void wait() const;
  /// Returns whether the store has ended, so that `wait` returns at once.
  bool ready() const;
  /// Waits. Returns what `wait` would throw, or null.
  std::exception_ptr error() const;

 private:
  std::shared_ptr<detail::running_store> of_;
};

}  // namespace perdure
