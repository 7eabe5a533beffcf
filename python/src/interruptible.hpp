// Runs long pieces of work without the GIL, and ends them at Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <future>
#include <perdure/workload/cancellation.hpp>
#include <thread>
#include <utility>

namespace perdure::python {

/// Calls `work()` on a thread of its own and returns its result. This thread waits without the GIL and looks
/// for signals meanwhile: if a handler raises, as that of Ctrl-C does, the work is cancelled, and the
/// handler's exception goes on once the work has ended. `work` must not touch Python objects.
template <class Work>
auto interruptible(Work&& work) {
  constexpr std::chrono::milliseconds between_looks{50};
  std::atomic<bool> stop{false};
  std::packaged_task<decltype(work())()> task([&] {
    const workload::cancellable scope(stop);
    return work();
  });
  auto result = task.get_future();
  bool was_interrupted = false;
  {
    const nanobind::gil_scoped_release released;
    std::thread worker(std::move(task));
    while (result.wait_for(between_looks) != std::future_status::ready) {
      const nanobind::gil_scoped_acquire held;
      if (was_interrupted || PyErr_CheckSignals() == 0) continue;
      was_interrupted = true;
      stop.store(true, std::memory_order_relaxed);
    }
    worker.join();
  }
  if (was_interrupted) throw nanobind::python_error();
  return result.get();
}

}  // namespace perdure::python
