// Tasks on oneTBB's threads. The only source that knows of it; what is compiled here is no part of what
// ThreadSanitizer sees (CMakeLists.txt).
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <memory>
#include <mutex>
#include <new>
#include <perdure/workload/parallel.hpp>

namespace perdure::workload::detail {
namespace {

namespace tbb = oneapi::tbb;

/// By itself the pool has a thread for each processor. More are wanted where threads wait for a device.
void allow(unsigned threads) {
  static std::mutex mutex;
  static std::unique_ptr<tbb::global_control> allowed;
  static unsigned most = 0;
  const std::lock_guard lock(mutex);
  if (most == 0)
    most = static_cast<unsigned>(
        tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  if (threads <= most) return;
  // The smallest limit holds, so the one before must go first.
  allowed.reset();
  allowed = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
  most = threads;
}

/// Where the calling thread and at least so many helpers meet: kept, since to make one takes longer than
/// small tasks do. Where it has more places than there are tasks the rest stays empty.
tbb::task_arena& arena_of_this_thread(unsigned threads) {
  thread_local tbb::task_arena arena(1);
  thread_local unsigned size = 0;
  if (size < threads) {
    allow(threads);
    arena.terminate();
    arena.initialize(static_cast<int>(threads));
    size = threads;
  }
  return arena;
}

}  // namespace

void run_tasks(unsigned count, void (*task)(void* context, unsigned index), void* context) {
  arena_of_this_thread(count).execute([&] {
    tbb::task_group group;
    unsigned index = 0;
    try {
      for (; index + 1 < count; ++index) group.run([=] { task(context, index); });
    } catch (const std::bad_alloc&) {
      // The calling thread does what cannot be handed out.
    }
    for (; index < count; ++index) task(context, index);
    group.wait();
  });
}

}  // namespace perdure::workload::detail
