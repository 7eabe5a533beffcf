// The volatile part of a heap that makes allocation fast: per thread and heap, a stack of free blocks per
// size class. Only the owning thread touches it, but for a checkpoint, which takes the blocks out of it. The
// thread finds out afterwards that this happened meanwhile, from plain stores and loads: the checkpoint pays
// for the order of both sides (see src/heap/standstill.cpp). So the hot path has no lock and no instruction
// that waits for other processors, and nobody waits for a thread that is on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <perdure/detail/size_classes.hpp>

namespace perdure {
class heap;
}

namespace perdure::detail {

struct cache_bin {
  std::atomic<std::uint32_t> count{0};
  std::uint32_t capacity = 0;  // grows with use up to the class's limit, so idle classes hold nothing
  void** blocks = nullptr;     // blocks[0, count): the most recently freed last; null what was taken out
};

struct thread_cache {
  /// Whose blocks the hot path may take and put here: null while a checkpoint keeps threads out. The hot path
  /// finds no cache that was never its heap's (see `slot_caches`).
  std::atomic<heap*> owner{nullptr};
  /// Changes of the heap that the thread is making, one inside the other. Stored to by it alone.
  std::atomic<std::uint32_t> changes{0};
  /// The heap that lists this cache. Null once it is gone; then the thread may give the cache to another.
  std::atomic<heap*> serves{nullptr};
  alignas(16) cache_bin bins[class_count];
};

/// This thread's caches, each at its heap's number; null are none of them, but empty ones of no heap, as is
/// the last, for the heaps of all further numbers: those go the longer way, as they do where checkpoints
/// could not keep the hot path out. Initial-exec: a few bytes of static TLS buy an access without a call,
/// also in the shared library; a library that is loaded late gets them from a reserve of 512 bytes.
inline constexpr unsigned cache_slots = 17;
extern __thread thread_cache* slot_caches[cache_slots] __attribute__((tls_model("initial-exec")));

/// Undoes the taking of the block at this place, which no owner allowed; unless the cache was emptied of it.
void untake(cache_bin& bin, std::uint32_t place) noexcept;

/// A block of the heap's that this thread's cache holds; null if there is none. `bytes` <= max_small_size.
inline void* take_cached(const heap* owner, unsigned slot, std::size_t bytes) noexcept {
  thread_cache* const cache = slot_caches[slot];
  cache_bin& bin = cache->bins[class_of(bytes)];
  const std::uint32_t count = bin.count.load(std::memory_order_relaxed);
  if (count == 0) [[unlikely]]
    return nullptr;
  void* const block = std::atomic_ref(bin.blocks[count - 1]).load(std::memory_order_relaxed);
  bin.count.store(count - 1, std::memory_order_release);
  // The compiler must keep the order; the processor is made to by who took the owner away.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (cache->owner.load(std::memory_order_relaxed) == owner) [[likely]]
    return block;
  untake(bin, count - 1);
  return nullptr;
}

/// Puts a block into this thread's cache; false if there is none, or it is full. Looks for the owner first
/// only: what is put while a cache is emptied stays in it, and harms nobody.
inline bool put_cached(const heap* owner, unsigned slot, unsigned size_class, void* block) noexcept {
  thread_cache* const cache = slot_caches[slot];
  if (cache->owner.load(std::memory_order_relaxed) != owner) [[unlikely]]
    return false;
  cache_bin& bin = cache->bins[size_class];
  // After whoever emptied the bin has left it.
  const std::uint32_t count = bin.count.load(std::memory_order_acquire);
  if (count >= bin.capacity) [[unlikely]]
    return false;
  std::atomic_ref(bin.blocks[count]).store(block, std::memory_order_relaxed);
  bin.count.store(count + 1, std::memory_order_release);
  return true;
}

}  // namespace perdure::detail
