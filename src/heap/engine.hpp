// The volatile side of an open heap: locks, bins and the list of the threads' caches.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/owner_process.hpp"
#include "heap/bin.hpp"
#include "heap/block_allowance.hpp"
#include "heap/metadata.hpp"
#include "heap/run_allocator.hpp"
#include "os/futex.hpp"
#include "perdure/heap.hpp"

namespace perdure {

namespace detail {

/// A thread's cache with its storage. Owned by its thread; listed by the heap it serves.
struct owned_cache : thread_cache {
  std::array<std::unique_ptr<void*[]>, class_count> storage;
  /// The large block that the thread freed last, if it is not longer than a chunk: programs often ask for the
  /// same size next.
  void* spare = nullptr;
  std::uint32_t spare_units = 0;
  /// The process of its thread: in a forked child the caches of all other threads are left over.
  base::owner_process process = base::owner_process::nobody();
  /// Whether the cache was emptied since the thread's last change: then there may be gaps among the blocks
  /// that the hot path has put since.
  bool was_emptied = false;
  /// The next in the list of caches whose threads ended inside a write_guard.
  owned_cache* next_left_behind = nullptr;

  /// Lets the bin of a class hold more blocks, up to the class's limit and to `most_bytes`. False at the
  /// limit.
  bool widen(unsigned size_class, std::size_t most_bytes) noexcept;
  /// Gives all blocks back to the heap it serves, and leaves null in their places.
  void flush(heap& owner) noexcept;
  /// To be called inside a change, if the cache was emptied outside of one.
  void close_gaps() noexcept;
};

}  // namespace detail

struct heap::engine {
  engine(heap& owner, detail::segment& memory);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// The calling thread's cache; null where there can be none.
  detail::owned_cache* own_cache(heap& owner) noexcept;

  /// Begins a change of the heap, for `detail::heap_change`.
  detail::owned_cache* begin_change(heap& owner) noexcept;
  static void end_change(detail::thread_cache& cache) noexcept;
  void end_change_without_cache() noexcept;
  /// Returns whether a thread of this process keeps the others from changing the heap, or waits until it
  /// does.
  bool is_shut() const noexcept;
  // What `standstill` calls, in this order; the last undoes the first.
  void shut() noexcept;
  void await_changes(const detail::owned_cache* own);
  void open() noexcept;

  // To be called inside a change, with its cache.
  void* allocate(detail::owned_cache* cache, std::size_t bytes);
  static void* take_spare(detail::owned_cache* cache, std::size_t bytes) noexcept;
  /// Keeps the block as the thread's spare, and returns what is to be freed instead: the spare until now, the
  /// block itself, or nothing.
  void* keep_spare(detail::owned_cache& cache, void* block) noexcept;
  void* allocate_large(std::size_t bytes, std::uint32_t alignment_units);
  void deallocate_large(void* block) noexcept;
  bool resize_large(void* block, std::size_t bytes) noexcept;
  /// Returns whether the offset lies in the data of a zone with metadata: only then may it be looked up
  /// there.
  bool has_metadata_for(std::uint64_t offset) const noexcept;

  /// The heap's number among the open heaps: the lowest that is free, so that a few heaps never share a place
  /// in the threads' tables of caches.
  const unsigned number;
  detail::segment& memory;
  detail::metadata metadata;
  detail::block_allowance allowance;
  std::mutex runs_mutex;
  detail::run_allocator runs;
  std::array<detail::bin, detail::class_count> bins;
  std::vector<detail::owned_cache*> caches;  // guarded by the mutex in thread_caches.cpp
  std::uint64_t invalid_frees = 0;           // guarded by runs_mutex

  /// The process that opened the heap.
  const base::owner_process process;
  /// The process of the thread that stands in `heap::standstill`; nobody while changes may begin. Set with
  /// the mutex in thread_caches.cpp held.
  std::atomic<base::owner_process> shut_by{base::owner_process::nobody()};
  /// How many threads are changing the heap that have no cache in which to say so.
  std::atomic<std::uint32_t> changing_without_cache{0};
};

namespace detail {
/// The only way to a heap's engine, which is private to it, for the heap's own sources.
struct heap_access {
  static heap::engine& engine_of(heap& h) noexcept { return *h.engine_; }
  static const heap::engine& engine_of(const heap& h) noexcept { return *h.engine_; }
};

/// `heap_change` for the heap's own operations, which begin and end at once in their order.
class own_change {
 public:
  own_change(heap::engine& memory, heap& owner) noexcept : memory_(memory) {
    thread_cache* const cache = slot_caches[owner.cache_slot()];
    if (cache->owner.load(std::memory_order_relaxed) == &owner) [[likely]] {
      // The usual case of `begin_change`, inline: the thread has a cache, and the kernel has the asymmetric
      // fence.
      outer_ = cache->changes.load(std::memory_order_relaxed);
      cache->changes.store(outer_ + 1, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      cache_ = static_cast<owned_cache*>(cache);
      if (outer_ != 0 || memory.shut_by.load(std::memory_order_acquire).is_nobody()) [[likely]]
        return;
      cache->changes.store(0, std::memory_order_release);
    }
    cache_ = memory.begin_change(owner);
    if (cache_ != nullptr) outer_ = cache_->changes.load(std::memory_order_relaxed) - 1;
  }
  own_change(const own_change&) = delete;
  own_change& operator=(const own_change&) = delete;
  ~own_change() {
    if (cache_ != nullptr)
      cache_->changes.store(outer_, std::memory_order_release);
    else
      memory_.end_change_without_cache();
  }
  owned_cache* cache() const noexcept { return cache_; }

 private:
  heap::engine& memory_;
  owned_cache* cache_ = nullptr;
  std::uint32_t outer_ = 0;
};

unsigned take_heap_number();
void return_heap_number(unsigned number) noexcept;

/// Guards every heap's list of caches, changes of a cache's owner, and the beginning and end of standstills.
/// No thread holds it while it waits for another.
extern std::mutex caches_mutex;
/// Counts the ends of standstills, of all heaps: threads that wait for one to end sleep on this word.
extern os::futex_word standstills_ended;

/// The calling thread's cache for the heap of that number, put where the hot path looks for it unless the
/// heap is shut; null while the thread is ending.
owned_cache* cache_for(heap& owner, unsigned number, std::vector<owned_cache*>& caches);
/// Returns the thread's cache, or null if it has none; never makes one.
owned_cache* find_cache(const heap& owner, unsigned number) noexcept;
/// Takes the heap's caches away from it, so that their threads reuse them for other heaps.
void orphan_all(std::vector<owned_cache*>& caches) noexcept;
/// Keeps every other thread from taking or leaving a cache of any heap; may be nested.
void lock_caches() noexcept;
void unlock_caches() noexcept;
bool is_shut(heap& owner) noexcept;
/// How a cache that outlives its use in a thread finds the heap's parts.
std::array<bin, class_count>& bins_of(heap& owner) noexcept;
std::vector<owned_cache*>& caches_of(heap& owner) noexcept;
void return_large(heap& owner, void* block) noexcept;
/// False in a forked child for a heap of its parent: the child has copies of that heap's caches, and must not
/// give back what is in them.
bool is_own(const heap& owner) noexcept;
}  // namespace detail

}  // namespace perdure
