// Running a piece of work on several threads, with errors carried back to the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace perdure::graph {

/// Calls `work(0)` … `work(threads - 1)` at once, the last one on the calling thread, and returns when all
/// have ended. Rethrows the first exception that arrived.
template <class Work>
void run_threads(unsigned threads, Work&& work) {
  std::exception_ptr first_error;
  std::mutex mutex;
  auto guarded = [&](unsigned index) {
    try {
      work(index);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first_error) first_error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(threads);
    for (unsigned index = 0; index + 1 < threads; ++index) others.emplace_back(guarded, index);
    guarded(threads == 0 ? 0 : threads - 1);
  }
  if (first_error) std::rethrow_exception(first_error);
}

/// Calls `work(begin, end)` for pieces of `[0, count)` of about `grain` elements, on up to `threads`
/// threads. Work that fits one piece runs on the calling thread without starting any.
template <class Work>
void parallel_for(unsigned threads, std::size_t count, std::size_t grain, Work&& work) {
  const std::size_t pieces = (count + grain - 1) / grain;
  if (threads <= 1 || pieces <= 1) {
    if (count != 0) work(std::size_t{0}, count);
    return;
  }
  std::atomic<std::size_t> next{0};
  run_threads(static_cast<unsigned>(std::min<std::size_t>(threads, pieces)), [&](unsigned) {
    for (;;) {
      const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= count) return;
      work(begin, std::min(begin + grain, count));
    }
  });
}

}  // namespace perdure::graph
