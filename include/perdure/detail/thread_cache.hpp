// The volatile part of a heap that makes allocation fast: per thread and heap, a stack of free blocks per
// size class. Only the owning thread touches it, so the hot path has no lock and no atomic operation.
#pragma once

#include <atomic>
#include <cstdint>
#include <perdure/detail/size_classes.hpp>

namespace perdure {
class heap;
}

namespace perdure::detail {

struct cache_bin {
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;  // grows with use up to the class's limit, so idle classes hold nothing
  void** blocks = nullptr;     // blocks[0, count): the most recently freed last
};

struct thread_cache {
  /// Null once the heap is gone; then the thread may give this cache to another heap.
  std::atomic<heap*> owner{nullptr};
  cache_bin bins[class_count];
};

/// The caches this thread used last, by the heap's number modulo the table's length, so that a thread that
/// goes back and forth between a few heaps finds each at once. Never null (at first an empty cache that
/// belongs to no heap). Initial-exec: a few bytes of static TLS buy an access without a call, also in the
/// shared library; a library that is loaded late gets them from a reserve of 512 bytes.
inline constexpr unsigned cache_slots = 16;
extern __thread thread_cache* recent_caches[cache_slots] __attribute__((tls_model("initial-exec")));

/// A block of the heap's that this thread's cache holds; null if there is none. `bytes` <= max_small_size.
inline void* take_cached(const heap* owner, unsigned slot, std::size_t bytes) noexcept {
  thread_cache* cache = recent_caches[slot];
  if (cache->owner.load(std::memory_order_relaxed) == owner) [[likely]] {
    cache_bin& bin = cache->bins[class_of(bytes)];
    if (bin.count != 0) [[likely]]
      return bin.blocks[--bin.count];
  }
  return nullptr;
}

/// Puts a block into this thread's cache; false if there is none, or it is full.
inline bool put_cached(const heap* owner, unsigned slot, unsigned size_class, void* block) noexcept {
  thread_cache* cache = recent_caches[slot];
  if (cache->owner.load(std::memory_order_relaxed) == owner) [[likely]] {
    cache_bin& bin = cache->bins[size_class];
    if (bin.count < bin.capacity) [[likely]] {
      bin.blocks[bin.count++] = block;
      return true;
    }
  }
  return false;
}

}  // namespace perdure::detail
