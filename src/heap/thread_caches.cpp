// Threads' caches: made at a thread's first use of a heap; emptied when the thread ends; orphaned, and reused
// by their thread, when the heap is closed first.
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <new>
#include <utility>

#include "base/invariant.hpp"
#include "heap/engine.hpp"
#include "os/asymmetric_fence.hpp"
#include "os/forks.hpp"

namespace perdure::detail {

std::mutex caches_mutex;

namespace {

thread_cache no_cache;

// Guards the numbers of open heaps.
std::mutex numbers_mutex;
// Never destroyed, as heaps may be closed after every static destructor has run; and made at the first use,
// as heaps may be opened before any static constructor has.
std::vector<bool>& taken_numbers() {
  static std::vector<bool>& taken = *new std::vector<bool>;
  return taken;
}

std::uint32_t cache_limit(unsigned size_class) noexcept {
  const std::size_t size = class_size(size_class);
  if (size <= 512) return 256;
  if (size <= 1024) return 128;
  if (size <= 4096) return 64;
  if (size <= 16 * 1024) return 32;
  return 8;
}

// Guarded by caches_mutex.
owned_cache* left_behind = nullptr;

__thread bool thread_is_ending = false;
__thread unsigned times_locked = 0;

struct caches_of_thread {
  // By the heap's number. A cache whose heap is closed is kept for the next heap of that number.
  std::vector<std::unique_ptr<owned_cache>> all;

  ~caches_of_thread() {
    thread_is_ending = true;
    for (thread_cache*& cache : slot_caches) cache = &no_cache;
    for (std::unique_ptr<owned_cache>& cache : all)
      if (cache != nullptr) give_up(cache);
  }

  static void give_up(std::unique_ptr<owned_cache>& cache) noexcept {
    const bool is_in_use = cache->changes.load(std::memory_order_relaxed) != 0;
    if (is_in_use) {
      std::fputs(
          "perdure: a thread ended inside a write_guard: what it changed last may be half done in a "
          "checkpoint\n",
          stderr);
      cache->changes.store(0, std::memory_order_release);
    }
    std::unique_lock lock(caches_mutex);
    // The heap may be closed while this thread waits.
    while (heap* const served = cache->serves.load(std::memory_order_relaxed)) {
      const std::uint32_t ended = standstills_ended.load();
      if (!is_shut(*served)) {
        if (is_own(*served)) cache->flush(*served);
        std::erase(caches_of(*served), cache.get());
        break;
      }
      lock.unlock();
      os::wait_while(standstills_ended, ended);
      lock.lock();
    }
    // Never freed: the guard may still end, in a destructor that runs later.
    if (!is_in_use) return;
    cache->next_left_behind = left_behind;
    left_behind = cache.release();
  }
};

thread_local caches_of_thread this_thread;

// Moves the blocks in the first `count` places together, to the front, and returns their number.
std::uint32_t move_together(cache_bin& cached, std::uint32_t count) noexcept {
  void** const end = std::remove(cached.blocks, cached.blocks + count, nullptr);
  return static_cast<std::uint32_t>(end - cached.blocks);
}

}  // namespace

#define PERDURE_NO_CACHES &no_cache, &no_cache, &no_cache, &no_cache
__thread thread_cache* slot_caches[cache_slots] __attribute__((tls_model("initial-exec"))) = {
    PERDURE_NO_CACHES, PERDURE_NO_CACHES, PERDURE_NO_CACHES, PERDURE_NO_CACHES, &no_cache};
#undef PERDURE_NO_CACHES
static_assert(cache_slots == 4 * 4 + 1);

unsigned take_heap_number() {
  const std::lock_guard lock(numbers_mutex);
  std::vector<bool>& numbers_taken = taken_numbers();
  const auto free = std::find(numbers_taken.begin(), numbers_taken.end(), false);
  const auto number = static_cast<unsigned>(free - numbers_taken.begin());
  if (free == numbers_taken.end())
    numbers_taken.push_back(true);
  else
    *free = true;
  return number;
}

void return_heap_number(unsigned number) noexcept {
  const std::lock_guard lock(numbers_mutex);
  PERDURE_INVARIANT(number < taken_numbers().size() && taken_numbers()[number]);
  taken_numbers()[number] = false;
}

bool owned_cache::widen(unsigned size_class, std::size_t most_bytes) noexcept {
  constexpr std::uint32_t least = 8;
  const std::uint32_t most = cache_limit(size_class);
  const auto limit =
      static_cast<std::uint32_t>(std::min<std::size_t>(most, most_bytes / class_size(size_class)));
  cache_bin& cached = bins[size_class];
  if (limit < least || cached.capacity == limit) return false;
  if (storage[size_class] == nullptr) {
    storage[size_class].reset(new (std::nothrow) void*[most]);
    if (storage[size_class] == nullptr) return false;
    cached.blocks = storage[size_class].get();
  }
  cached.capacity = std::min(limit, std::max(least, cached.capacity * 2));
  return true;
}

void owned_cache::flush(heap& owned_by) noexcept {
  std::array<bin, class_count>& slabs = bins_of(owned_by);
  for (unsigned c = 0; c < class_count; ++c) {
    cache_bin& cached = bins[c];
    std::uint32_t count = cached.count.load(std::memory_order_acquire);
    if (count == 0) continue;
    if (const std::uint32_t held = move_together(cached, count); held != 0) slabs[c].put(cached.blocks, held);
    // Their thread may be on the hot path, at one of these places.
    for (std::uint32_t i = 0; i < count; ++i)
      std::atomic_ref(cached.blocks[i]).store(nullptr, std::memory_order_relaxed);
    // Not if the thread has put one more block on the hot path, above the gap.
    cached.count.compare_exchange_strong(count, 0, std::memory_order_release, std::memory_order_relaxed);
  }
  if (spare != nullptr) return_large(owned_by, std::exchange(spare, nullptr));
}

void owned_cache::close_gaps() noexcept {
  for (cache_bin& cached : bins) {
    const std::uint32_t count = cached.count.load(std::memory_order_relaxed);
    if (count == 0) continue;
    cached.count.store(move_together(cached, count), std::memory_order_relaxed);
  }
  was_emptied = false;
}

// Where the block is still there those below it may be gone: the cache was emptied after it was taken.
void untake(cache_bin& bin, std::uint32_t place) noexcept {
  const std::lock_guard lock(caches_mutex);
  bin.count.store(bin.blocks[place] != nullptr ? place + 1 : 0, std::memory_order_relaxed);
}

owned_cache* find_cache(const heap& owner, unsigned number) noexcept {
  thread_cache* const cache = slot_caches[owner.cache_slot()];
  if (cache->serves.load(std::memory_order_relaxed) == &owner) return static_cast<owned_cache*>(cache);
  if (thread_is_ending) return nullptr;
  const std::vector<std::unique_ptr<owned_cache>>& all = this_thread.all;
  if (number >= all.size() || all[number] == nullptr) return nullptr;
  return all[number]->serves.load(std::memory_order_relaxed) == &owner ? all[number].get() : nullptr;
}

owned_cache* cache_for(heap& owner, unsigned number, std::vector<owned_cache*>& caches) {
  if (thread_is_ending) return nullptr;
  owned_cache* cache = find_cache(owner, number);
  if (cache == nullptr) {
    std::vector<std::unique_ptr<owned_cache>>& all = this_thread.all;
    if (number >= all.size()) all.resize(number + 1);
    if (all[number] == nullptr) all[number] = std::make_unique<owned_cache>();
    cache = all[number].get();
    const std::lock_guard lock(caches_mutex);
    caches.push_back(cache);
    cache->process = base::owner_process();
    cache->serves.store(&owner, std::memory_order_relaxed);
  }
  if (!os::has_asymmetric_fence() || number >= cache_slots - 1) return cache;
  slot_caches[number] = cache;
  if (cache->owner.load(std::memory_order_relaxed) == &owner) return cache;
  const std::lock_guard lock(caches_mutex);
  if (!is_shut(owner)) cache->owner.store(&owner, std::memory_order_relaxed);
  return cache;
}

void lock_caches() noexcept {
  if (times_locked++ == 0) caches_mutex.lock();
}
void unlock_caches() noexcept {
  PERDURE_INVARIANT(times_locked != 0);
  if (--times_locked == 0) caches_mutex.unlock();
}

void orphan_all(std::vector<owned_cache*>& caches) noexcept {
  const std::lock_guard lock(caches_mutex);
  for (owned_cache* cache : caches) {
    for (cache_bin& cached : cache->bins) {
      cached.count.store(0, std::memory_order_relaxed);
      cached.capacity = 0;
    }
    cache->spare = nullptr;
    cache->owner.store(nullptr, std::memory_order_relaxed);
    cache->serves.store(nullptr, std::memory_order_relaxed);
  }
  caches.clear();
}

}  // namespace perdure::detail

namespace perdure {

// Forks wait until no thread is changing the lists of caches and heaps, so that a child finds no lock taken.
void heap::prepare_for_forks() {
  constexpr auto unlock = [] {
    detail::numbers_mutex.unlock();
    detail::unlock_caches();
  };
  static constexpr os::fork_handlers handlers{
      .prepare =
          [] {
            detail::lock_caches();
            detail::numbers_mutex.lock();
          },
      .in_parent = unlock,
      .in_child = unlock,
  };
  os::watch_forks(os::fork_layer::heap_caches, handlers);
}

}  // namespace perdure
