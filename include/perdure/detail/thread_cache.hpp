// The volatile part of a heap that makes allocation fast: per thread and heap, a stack of free blocks per
// size class. Only the owning thread touches it, but for a checkpoint, which takes the blocks out of it: the
// thread tells by plain stores when it is inside, and the checkpoint pays for the order of both sides (see
// src/heap/standstill.cpp). So the hot path has no lock and no instruction that waits for other processors.
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
  /// Whose blocks the hot path may take and put here: null while a checkpoint keeps threads out, and for ever
  /// where it could not keep them out.
  std::atomic<heap*> owner{nullptr};
  /// The thread is on the hot path. Stored to by it alone, as is the next.
  std::atomic<bool> inside{false};
  /// Changes of the heap that the thread is making, one inside the other.
  std::atomic<std::uint32_t> changes{0};
  /// The heap that lists this cache. Null once it is gone; then the thread may give the cache to another.
  std::atomic<heap*> serves{nullptr};
  alignas(16) cache_bin bins[class_count];
};

/// The hot path's stay in a cache. What it does there must touch no memory of the heap's: a page that has to
/// be fetched first would hold a checkpoint up, which might be what it waits for.
class cache_visit {
 public:
  explicit cache_visit(thread_cache& cache) noexcept : cache_(cache) {
    cache_.inside.store(true, std::memory_order_relaxed);
    // The compiler must keep the order; the processor is made to by who waits for `inside` to be false.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  cache_visit(const cache_visit&) = delete;
  cache_visit& operator=(const cache_visit&) = delete;
  ~cache_visit() { cache_.inside.store(false, std::memory_order_release); }

  bool is_welcome(const heap* owner) const noexcept {
    return cache_.owner.load(std::memory_order_relaxed) == owner;
  }

 private:
  thread_cache& cache_;
};

/// The caches this thread used last, by the heap's number modulo the table's length, so that a thread that
/// goes back and forth between a few heaps finds each at once. Never null (at first an empty cache that
/// belongs to no heap). Initial-exec: a few bytes of static TLS buy an access without a call, also in the
/// shared library; a library that is loaded late gets them from a reserve of 512 bytes.
inline constexpr unsigned cache_slots = 16;
extern __thread thread_cache* recent_caches[cache_slots] __attribute__((tls_model("initial-exec")));

/// A block of the heap's that this thread's cache holds; null if there is none. `bytes` <= max_small_size.
inline void* take_cached(const heap* owner, unsigned slot, std::size_t bytes) noexcept {
  thread_cache* const cache = recent_caches[slot];
  const cache_visit visit(*cache);
  if (visit.is_welcome(owner)) [[likely]] {
    cache_bin& bin = cache->bins[class_of(bytes)];
    if (bin.count != 0) [[likely]]
      return bin.blocks[--bin.count];
  }
  return nullptr;
}

/// Puts a block into this thread's cache; false if there is none, or it is full.
inline bool put_cached(const heap* owner, unsigned slot, unsigned size_class, void* block) noexcept {
  thread_cache* const cache = recent_caches[slot];
  const cache_visit visit(*cache);
  if (visit.is_welcome(owner)) [[likely]] {
    cache_bin& bin = cache->bins[size_class];
    if (bin.count < bin.capacity) [[likely]] {
      bin.blocks[bin.count++] = block;
      return true;
    }
  }
  return false;
}

}  // namespace perdure::detail
