// How a checkpoint keeps threads from changing the heap, and how they tell it that they are.
//
// A thread in a longer change says so in its cache (`changes`), by a plain store instruction, and then reads
// the cache's `owner`, or `shut_by`, to see whether it may go on. The thread that wants the heap to stand
// still writes these two first, and then reads what the threads have said. One side sees the other, provided
// that each side's write comes before its read. On the threads' side only the compiler keeps that order; the
// standstill makes up for it by an asymmetric fence. Where the kernel has no such fence, the hot path finds
// no cache, so all threads come here, and order their writes with a fence of their own.
//
// On the hot path a thread counts a block as taken first, and reads the `owner` afterwards. If the owner is
// still there, the standstill sees the new count. If not, the thread puts the block back and comes here. The
// standstill does not wait for a thread on the hot path, which may be asleep between any two instructions. It
// empties the cache all the same, and leaves null where a block was. So a thread that slept can tell whether
// the block that it took had been given back before
// (`untake`). A block that it puts after it has read the owner may come to lie above others that are gone;
// the thread closes that gap in its next change.
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <system_error>

#include "base/invariant.hpp"
#include "heap/engine.hpp"
#include "os/asymmetric_fence.hpp"
#include "perdure/error.hpp"

namespace perdure {

using namespace detail;

namespace detail {

os::futex_word standstills_ended{0};

namespace {

// How many changes of this thread are counted in `changing_without_cache`. They are the library's own, which
// are never nested in changes of another heap.
__thread unsigned depth_without_cache = 0;

// The address of this variable stands for the thread.
__thread char thread_mark = 0;

}  // namespace
}  // namespace detail

// In a forked child no thread would open the heap again, so there it counts as open.
bool heap::engine::is_shut() const noexcept {
  const base::owner_process by = shut_by.load();
  return !by.is_nobody() && by.is_here();
}

owned_cache* heap::engine::begin_change(heap& owner) noexcept {
  if (depth_without_cache != 0) [[unlikely]] {
    ++depth_without_cache;
    return nullptr;
  }
  owned_cache* const cache = own_cache(owner);
  if (cache != nullptr) {
    // If this thread waited inside an outer change, it would hold up the standstill that it waits for.
    if (const std::uint32_t depth = cache->changes.load(std::memory_order_relaxed); depth != 0) {
      cache->changes.store(depth + 1, std::memory_order_relaxed);
      return cache;
    }
  }
  for (;;) {
    if (cache == nullptr) {
      ++changing_without_cache;
    } else if (os::has_asymmetric_fence()) {
      cache->changes.store(1, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      cache->changes.store(1);
    }
    const std::uint32_t ended = standstills_ended.load();
    if (!is_shut()) [[likely]]
      break;
    if (cache == nullptr)
      --changing_without_cache;
    else
      cache->changes.store(0, std::memory_order_release);
    os::wait_while(standstills_ended, ended);
  }
  if (cache == nullptr)
    depth_without_cache = 1;
  else if (cache->was_emptied)
    cache->close_gaps();
  return cache;
}

// If the change is counted in a cache, this uses nothing else: a write_guard may end after its heap was
// closed.
void heap::engine::end_change(thread_cache& cache) noexcept {
  cache.changes.store(cache.changes.load(std::memory_order_relaxed) - 1, std::memory_order_release);
}

void heap::engine::end_change_without_cache() noexcept {
  PERDURE_INVARIANT(depth_without_cache != 0);
  if (--depth_without_cache == 0) --changing_without_cache;
}

void heap::engine::shut() noexcept {
  std::unique_lock lock(caches_mutex);
  for (;;) {
    const std::uint32_t ended = standstills_ended.load();
    if (!is_shut()) break;
    lock.unlock();
    os::wait_while(standstills_ended, ended);
    lock.lock();
  }
  shut_by.store(base::owner_process());
  for (owned_cache* const cache : caches) cache->owner.store(nullptr, std::memory_order_relaxed);
}

void heap::engine::open() noexcept {
  {
    const std::lock_guard lock(caches_mutex);
    PERDURE_INVARIANT(!shut_by.load().is_nobody());
    shut_by.store(base::owner_process::nobody());
  }
  ++standstills_ended;
  os::wake(standstills_ended);
}

void heap::engine::await_changes(const owned_cache* own) {
  const base::owner_process here;
  // Threads of the parent do not exist in a forked child, so nothing is to be expected of their caches.
  const auto lives = [here](const owned_cache* cache) { return cache->process == here; };
  std::unique_lock lock(caches_mutex);
  const bool is_alone = std::none_of(caches.begin(), caches.end(),
                                     [&](const owned_cache* cache) { return cache != own && lives(cache); });
  lock.unlock();
  if (!is_alone && os::has_asymmetric_fence()) os::asymmetric_fence();

  const auto is_changing = [&](const owned_cache* cache) {
    return lives(cache) && cache->changes.load() != 0;
  };
  timespec pause{0, 1000};
  constexpr long longest_ns = 100'000;
  constexpr int patient_tries = 4;
  for (int tries = 0;; ++tries) {
    lock.lock();
    const bool is_quiet = std::none_of(caches.begin(), caches.end(), is_changing) &&
                          (process != here || changing_without_cache.load() == 0);
    if (is_quiet) return;
    // Other threads may need the mutex, for another heap, to get on with their change.
    lock.unlock();
    if (tries < patient_tries) {
      ::sched_yield();
    } else {
      ::nanosleep(&pause, nullptr);
      pause.tv_nsec = std::min(2 * pause.tv_nsec, longest_ns);
    }
  }
}

heap::standstill::standstill(heap& memory) : memory_(memory) {
  engine& shutting = *memory.engine_;
  if (memory.is_writing())
    throw error(
        errc::invalid_argument,
        "this thread is inside a write_guard of the heap that it wants to stand still: end the guard first");
  shutting.shut();
  try {
    shutting.await_changes(find_cache(memory, shutting.number));
  } catch (const std::system_error& failure) {
    shutting.open();
    throw error(errc::unsupported,
                std::string("threads cannot be kept from changing the heap, since the kernel refuses what it "
                            "offered when the first heap was opened (") +
                    failure.what() + "): install seccomp filters before stores are opened");
  }
  // In a forked child the blocks in the caches are the parent's.
  if (!is_own(memory)) return;
  // No thread touches the caches now: all wait for `open` first.
  const std::lock_guard lock(caches_mutex);
  for (owned_cache* const cache : shutting.caches) {
    cache->flush(memory);
    cache->was_emptied = true;
  }
}

heap::standstill::~standstill() {
  memory_.engine_->open();
}

heap_change::heap_change(heap& memory) noexcept
    : memory_(memory), cache_(memory.engine_->begin_change(memory)) {}
heap_change::~heap_change() {
  if (cache_ != nullptr)
    heap::engine::end_change(*cache_);
  else
    memory_.engine_->end_change_without_cache();
}

write_guard::write_guard(heap& memory) : change_(memory), thread_(&thread_mark) {
  // Nested guards of several heaps are only counted in caches.
  if (change_.cache() == nullptr) throw std::bad_alloc();
}

write_guard::~write_guard() {
  if (thread_ == &thread_mark) return;
  std::fputs("perdure: a write_guard ends on another thread than it began on\n", stderr);
  std::abort();
}

void heap::begin_writing() {
  if (engine_->begin_change(*this) != nullptr) return;
  engine_->end_change_without_cache();
  throw std::bad_alloc();
}

void heap::end_writing() {
  owned_cache* const cache = find_cache(*this, engine_->number);
  if (cache == nullptr || cache->changes.load(std::memory_order_relaxed) == 0)
    throw error(errc::invalid_argument, "this thread ends writing to a store where it has not begun");
  engine::end_change(*cache);
}

bool heap::is_writing() const noexcept {
  const owned_cache* const cache = find_cache(*this, engine_->number);
  return cache != nullptr && cache->changes.load(std::memory_order_relaxed) != 0;
}

}  // namespace perdure
