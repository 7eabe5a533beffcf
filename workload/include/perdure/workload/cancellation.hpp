// Ends a long piece of work from another thread.
//
//     std::atomic<bool> stop{false};  // another thread sets it
//     const workload::cancellable scope(stop);
//     graph::pagerank(view);          // throws `workload::cancelled` soon after
#pragma once

#include <atomic>
#include <exception>

namespace perdure::workload {

/// The work was asked to end before it was done.
class cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "the work was cancelled"; }  ///< a sentence
};

namespace detail {

/// The flag that this thread's work looks at; null: none.
inline constinit thread_local const std::atomic<bool>* stop_flag = nullptr;

}  // namespace detail

/// While it lives, the work of this thread, and what it hands to other threads by `run_threads` and
/// `parallel_for`, ends with `cancelled` once the flag is set. The flag must outlive it.
///
/// Thread safety: made and destroyed by one thread.
class cancellable {
 public:
  explicit cancellable(const std::atomic<bool>& stop) noexcept : cancellable(&stop) {}  ///< looks at `stop`
  /// Uses no flag where `stop` is null.
  explicit cancellable(const std::atomic<bool>* stop) noexcept : before_(detail::stop_flag) {
    detail::stop_flag = stop;
  }
  cancellable(const cancellable&) = delete;
  cancellable& operator=(const cancellable&) = delete;
  ~cancellable() { detail::stop_flag = before_; }

 private:
  const std::atomic<bool>* before_;
};

/// Throws `cancelled` if this thread's work was asked to end. `parallel_for` calls it between its pieces, and
/// loops of another form call it now and then.
inline void end_if_cancelled() {
  if (detail::stop_flag != nullptr && detail::stop_flag->load(std::memory_order_relaxed)) throw cancelled();
}

}  // namespace perdure::workload
