// The objects whose constructors are running, and the threads that wait for them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "perdure/detail/manager_core.hpp"

namespace perdure::detail {

/// A name under construction is listed here until it is *settled*: published, or given up. All functions are
/// called with the lock of the directory held, exclusively.
class pending_constructions {
 public:
  /// An address that no other living thread has. Not `std::thread::id`: <thread> would be compiled with every
  /// program that includes a manager.
  static const void* mark_of_this_thread() noexcept;

  std::size_t count() const noexcept { return pending_.size(); }
  void add(object_construction& begun) { pending_.push_back(&begun); }
  /// Null if no thread constructs such an object.
  const object_construction* find(instance_kind kind, std::string_view key) const noexcept;

  /// Returns whether the thread that constructs `goal` waits for the calling one, be it through others.
  bool wait_for_me(const object_construction& goal) const noexcept;
  /// Lets go of the lock until `goal` is settled.
  void wait_for(const object_construction& goal, std::unique_lock<std::shared_mutex>& held);
  void settle(const object_construction& done) noexcept;

 private:
  /// A thread that waits for a construction, and the thread that will settle it.
  struct waiter {
    const void* self;                 // a mark
    const object_construction* goal;  // null once settled
    const void* goal_owner;           // a mark
  };

  std::vector<object_construction*> pending_;
  std::vector<waiter> waiters_;
  std::condition_variable_any settled_;
};

}  // namespace perdure::detail
