// Splitting work among threads, with errors carried back to the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/signals_blocked.hpp"

namespace perdure::base {

/// Calls `work(index, worker)` once for each index below `count`, on up to `threads` threads, and returns
/// when all calls have ended. The calling thread is one of them. `worker` is below `threads` (0 if that is
/// 0), and two calls at the same time never have the same: it tells a call which scratch memory is its own.
///
/// After a call has thrown no further one begins, and the exception that came first is thrown to the caller.
/// Where the system has no more threads to give, those that there are do all of the work. No handler of the
/// program's signals runs on the threads that are started.
template <class Work>
void for_each_index(std::size_t threads, std::size_t count, Work&& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&](std::size_t worker) {
    try {
      for (std::size_t index; (index = next.fetch_add(1, std::memory_order_relaxed)) < count;)
        work(index, worker);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      // They inherit what is blocked.
      const signals_blocked blocked;
      for (std::size_t worker = 1; worker < std::min(threads, count); ++worker)
        others.emplace_back(run, worker);
    } catch (const std::exception&) {
      // No further thread, or no memory for it.
    }
    run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace perdure::base
