// The asynchronous stores of one open store's arrays.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <perdure/array/pending_store.hpp>
#include <perdure/detail/manager_core.hpp>
#include <string_view>
#include <vector>

#include "array/running_store.hpp"
#include "base/background_worker.hpp"
#include "base/owner_process.hpp"

namespace perdure::detail {

/// Has one thread, which stores one array after the other, in the order in which the stores began.
/// Thread-safe.
class store_queue {
 public:
  store_queue() = default;
  store_queue(const store_queue&) = delete;
  store_queue& operator=(const store_queue&) = delete;
  ~store_queue() { finish(); }

  /// Has the array `id` of `store` stored by `work`, which must not wait for this queue. What `work` throws,
  /// the handle throws. Throws `invalid_argument` inside a write_guard and after `finish`, `read_only`,
  /// std::bad_alloc. The store must stay open until `finish` has returned.
  pending_store begin(manager_core& store, std::string_view id, std::function<void()> work);

  /// Waits for the stores of the array `id` that have begun. Throws `invalid_argument` inside a write_guard.
  void await(std::string_view id) const;
  /// Waits for all stores that have begun. Throws a failure that the program has not been told of, once.
  void await_all();
  /// Ends the thread when it has stored the array at which it is. Those behind that one fail, and none begins
  /// any more. No other thread may use the queue meanwhile. In a forked child, which does not have the
  /// thread, it waits for nothing.
  void finish() noexcept;

 private:
  using running = std::shared_ptr<running_store>;

  std::vector<running> begun() const;
  void forget(const running& one) noexcept;

  const base::owner_process owner_;
  mutable std::mutex mutex_;
  // Those that have not ended, and those whose failure the program has not been told of, oldest first.
  std::vector<running> begun_;
  std::atomic<int> not_ended_{0};
  std::atomic<bool> is_finished_{false};
  std::unique_ptr<base::background_worker> worker_ = std::make_unique<base::background_worker>();
};

}  // namespace perdure::detail
