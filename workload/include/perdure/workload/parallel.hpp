// Work on several threads, which are started once and wait for more; errors are carried back to the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <perdure/progress.hpp>
#include <perdure/workload/cancellation.hpp>
#include <type_traits>

namespace perdure::workload {

namespace detail {

/// Calls `task(context, 0)` … `task(context, count - 1)`, the last on the calling thread, the others on
/// whichever threads of the process's pool are free, or on the calling thread too. Returns when all calls
/// have returned. `task` must not throw. Throws `std::bad_alloc`, before any call.
void run_tasks(unsigned count, void (*task)(void* context, unsigned index), void* context);

/// One call of `run_threads`. What the caller did before it happens before all tasks, and all tasks happen
/// before its return: by the two counters here, since ThreadSanitizer does not see what the pool does.
template <class Work>
class task_group {
 public:
  explicit task_group(Work& work) noexcept : work_(work), stop_(stop_flag), progress_(current_progress()) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  void run(unsigned count) {
    begun_.store(1, std::memory_order_release);
    run_tasks(
        count, [](void* self, unsigned index) { static_cast<task_group*>(self)->call(index); }, this);
    static_cast<void>(ended_.load(std::memory_order_acquire));
    if (first_error_) std::rethrow_exception(first_error_);
  }

 private:
  void call(unsigned index) noexcept {
    static_cast<void>(begun_.load(std::memory_order_acquire));
    try {
      const cancellable scope(stop_);
      const progress_scope reports(progress_);
      work_(index);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_error_) first_error_ = std::current_exception();
    }
    ended_.fetch_add(1, std::memory_order_release);
  }

  Work& work_;
  const std::atomic<bool>* stop_;  // of the calling thread
  progress_record* progress_;      // of the calling thread
  std::atomic<unsigned> begun_{0};
  std::atomic<unsigned> ended_{0};
  std::mutex mutex_;
  std::exception_ptr first_error_;
};

}  // namespace detail

/// Calls `work(0)` … `work(threads - 1)`, the last one on the calling thread, and returns when all have
/// ended. Rethrows the first exception that arrived; the other calls run to their end first.
///
/// The calls run side by side as far as the process's pool has threads free (one for each processor, or as
/// many as were ever asked for), else one after the other: a call must not wait for another one. May be
/// called from several threads at once, and inside a call.
template <class Work>
void run_threads(unsigned threads, Work&& work) {
  if (threads <= 1) {
    work(0U);
    return;
  }
  detail::task_group<std::remove_reference_t<Work>>(work).run(threads);
}

/// Calls `work(begin, end)` for pieces of `[0, count)` of about `grain` elements, on up to `threads` threads.
/// Work that fits one piece runs on the calling thread. After an exception, which is rethrown, no more pieces
/// are begun. Throws `cancelled` between two pieces where that is asked for (`cancellation.hpp`).
///
/// The elements that are done are counted in the caller's `progress_record`, if it has one. What the pieces
/// themselves report is not.
template <class Work>
void parallel_for(unsigned threads, std::size_t count, std::size_t grain, Work&& work) {
  const std::size_t pieces = (count + grain - 1) / grain;
  end_if_cancelled();
  progress_record* const record = current_progress();
  if (pieces <= 1 || (threads <= 1 && detail::stop_flag == nullptr && record == nullptr)) {
    if (count != 0) work(std::size_t{0}, count);
    return;
  }
  std::atomic<std::size_t> next{0};
  if (record != nullptr) record->begin_pass(count);
  run_threads(static_cast<unsigned>(std::min<std::size_t>(threads, pieces)), [&](unsigned) {
    const progress_scope reports(nullptr);
    try {
      for (;;) {
        end_if_cancelled();
        const std::size_t piece = next.fetch_add(1, std::memory_order_relaxed);
        if (piece >= pieces) return;
        const std::size_t end = std::min((piece + 1) * grain, count);
        work(piece * grain, end);
        if (record != nullptr) record->add(end - piece * grain);
      }
    } catch (...) {
      next.store(pieces, std::memory_order_relaxed);
      throw;
    }
  });
}

}  // namespace perdure::workload
