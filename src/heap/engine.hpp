// The volatile side of an open heap: locks, bins and the list of the threads' caches.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "heap/bin.hpp"
#include "heap/metadata.hpp"
#include "heap/run_allocator.hpp"
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

  /// Lets the bin of a class hold more blocks, up to the class's limit. False at the limit.
  bool widen(unsigned size_class) noexcept;
  /// Gives all it holds back to the heap it serves.
  void flush(heap& owner) noexcept;
};

}  // namespace detail

struct heap::engine {
  engine(heap& owner, segment& memory);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// The calling thread's cache; null where there can be none.
  detail::owned_cache* own_cache(heap& owner) noexcept;
  void* allocate(heap& owner, std::size_t bytes);
  void* take_spare(heap& owner, std::size_t bytes) noexcept;
  /// What is to be given back in its place: the spare before, the block itself, or nothing.
  void* keep_spare(detail::owned_cache& cache, void* block) noexcept;
  void* allocate_large(std::size_t bytes, std::uint32_t alignment_units);
  void deallocate_large(void* block) noexcept;
  bool resize_large(void* block, std::size_t bytes) noexcept;

  /// Among the open heaps; the lowest that is not taken, so that a few heaps share no place in the threads'
  /// tables of caches.
  const unsigned number;
  segment& memory;
  detail::metadata metadata;
  std::mutex runs_mutex;
  detail::run_allocator runs;
  std::array<detail::bin, detail::class_count> bins;
  std::vector<detail::owned_cache*> caches;  // guarded by the mutex in thread_caches.cpp
  std::uint64_t invalid_frees = 0;           // guarded by runs_mutex
};

namespace detail {
unsigned take_heap_number();
void return_heap_number(unsigned number) noexcept;
/// The calling thread's cache for the heap of that number; null while the thread is ending.
owned_cache* cache_for(heap& owner, unsigned number, std::vector<owned_cache*>& caches);
/// Flushes all caches of a heap; every thread must be quiet.
void flush_all(heap& owner) noexcept;
/// Takes the heap's caches away from it, so that their threads reuse them for other heaps.
void orphan_all(std::vector<owned_cache*>& caches) noexcept;
/// Keeps every thread from taking or leaving a cache of any heap; as often as a thread asks.
void lock_caches() noexcept;
void unlock_caches() noexcept;
/// How a cache that outlives its use in a thread finds the heap's parts.
std::array<bin, class_count>& bins_of(heap& owner) noexcept;
std::vector<owned_cache*>& caches_of(heap& owner) noexcept;
void return_large(heap& owner, void* block) noexcept;
/// False in a forked child for a heap of its parent's, whose caches the child has too: what is in them is not
/// the child's to give back.
bool is_own(const heap& owner) noexcept;
}  // namespace detail

}  // namespace perdure
