// One asynchronous store of an array, which the worker ends and others wait for.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <future>
#include <perdure/detail/manager_core.hpp>
#include <string>
#include <string_view>

#include "base/owner_process.hpp"

namespace perdure::detail {

/// Thread-safe.
class running_store {
 public:
  /// `store` is used until `run` has ended.
  running_store(manager_core& store, std::string_view id)
      : store_(store), id_(id), outcome_(promise_.get_future().share()) {}

  const std::string& id() const noexcept { return id_; }

  /// Stores by `work`, and keeps what it throws.
  void run(const std::function<void()>& work) noexcept;

  /// Throws `invalid_argument` in a forked child.
  void require_here() const;
  bool is_here() const noexcept { return owner_.is_here(); }
  bool has_ended() const;
  /// Throws `invalid_argument` inside a write_guard, which would keep the worker from ending.
  void require_may_wait() const;
  void wait() const noexcept { outcome_.wait(); }
  /// Waits. Returns what the store has failed with, or null.
  std::exception_ptr failure() const noexcept;

  /// The program has been told of the failure.
  void note_told() noexcept { is_told_ = true; }
  bool is_told() const noexcept { return is_told_; }

 private:
  manager_core& store_;
  const std::string id_;
  const base::owner_process owner_;
  std::promise<void> promise_;
  const std::shared_future<void> outcome_;
  std::atomic<bool> is_told_{false};
};

}  // namespace perdure::detail
