// The long path behind the inline fast path: allocating and freeing when the calling thread's cache cannot
// serve.
//
// A small block travels slab -> bin -> thread's cache -> program and back; only the first two know it in the
// segment's metadata, so a checkpoint first empties the caches. Large blocks go to the run allocator.
#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "heap/allocation_failure.hpp"
#include "heap/engine.hpp"
#include "perdure/heap.hpp"
#include "segment/segment.hpp"

namespace perdure {

using namespace detail;

namespace {

// To be called inside a change, where no other thread touches the cache.
void* take_last(cache_bin& cached) noexcept {
  const std::uint32_t rest = cached.count.load(std::memory_order_relaxed) - 1;
  cached.count.store(rest, std::memory_order_relaxed);
  return cached.blocks[rest];
}

// Gives back what the calling thread keeps in its cache, and tries once more, before it gives up: that may be
// the memory that is missing.
template <class Allocate>
void* with_all_there_is(heap& memory, const detail::segment& bounds, std::size_t bytes, Allocate allocate) {
  try {
    return allocate();
  } catch (const std::bad_alloc&) {
    memory.flush_own_cache();
    try {
      return allocate();
    } catch (const allowance_used_up&) {
      throw_no_allowance(bounds, bytes);
    } catch (const std::bad_alloc&) {
      throw_no_block(bounds, bytes);
    }
  }
}

}  // namespace

void* heap::allocate_slow(std::size_t bytes) {
  const own_change change(*engine_, *this);
  return with_all_there_is(*this, engine_->memory, bytes,
                           [&] { return engine_->allocate(change.cache(), bytes); });
}

void* heap::engine::allocate(owned_cache* cache, std::size_t bytes) {
  if (bytes > max_small_size) {
    void* const spare = take_spare(cache, bytes);
    return spare != nullptr ? spare : allocate_large(bytes, 1);
  }
  const unsigned size_class = class_of(bytes);
  void* block = nullptr;
  if (cache == nullptr) {
    bins[size_class].take(&block, 1);
    return block;
  }
  cache_bin& cached = cache->bins[size_class];
  if (cached.count.load(std::memory_order_relaxed) != 0) return take_last(cached);
  cache->widen(size_class, allowance.most_cached());
  if (cached.capacity == 0) {
    bins[size_class].take(&block, 1);
    return block;
  }
  cached.count.store(bins[size_class].take(cached.blocks, cached.capacity / 2), std::memory_order_relaxed);
  return take_last(cached);
}

owned_cache* heap::engine::own_cache(heap& owner) noexcept {
  thread_cache* const cache = slot_caches[owner.cache_slot()];
  if (cache->owner.load(std::memory_order_relaxed) == &owner) return static_cast<owned_cache*>(cache);
  try {
    return cache_for(owner, number, caches);
  } catch (const std::bad_alloc&) {  // no ordinary memory for a cache: do without one
    return nullptr;
  }
}

void heap::deallocate_slow(void* block) noexcept {
  const unsigned class_plus_one = class_byte(block);
  const own_change change(*engine_, *this);
  owned_cache* const cache = change.cache();
  if (class_plus_one == 0) {
    if (cache != nullptr) block = engine_->keep_spare(*cache, block);
    if (block != nullptr) engine_->deallocate_large(block);
    return;
  }
  const unsigned size_class = class_plus_one - 1;
  if (cache == nullptr) return engine_->bins[size_class].put(&block, 1);
  cache_bin& cached = cache->bins[size_class];
  std::uint32_t count = cached.count.load(std::memory_order_relaxed);
  if (count == cached.capacity && !cache->widen(size_class, engine_->allowance.most_cached())) {
    if (cached.capacity == 0) return engine_->bins[size_class].put(&block, 1);
    // The older half goes: the blocks freed last are the ones still in the processor's caches.
    const std::uint32_t half = cached.capacity / 2;
    engine_->bins[size_class].put(cached.blocks, half);
    count -= half;
    std::memmove(cached.blocks, cached.blocks + half, count * sizeof(void*));
  }
  cached.blocks[count] = block;
  cached.count.store(count + 1, std::memory_order_relaxed);
}

void* heap::allocate(std::size_t bytes, std::size_t alignment) {
  if (!std::has_single_bit(alignment) || alignment > chunk_size)
    throw_no_such_alignment(engine_->memory, alignment);
  if (alignment <= unit_size && bytes <= max_small_size) {
    // Blocks lie at multiples of their size from a unit's start: a size that is a multiple will do.
    unsigned size_class = class_of(std::max(bytes, alignment));
    while (class_size(size_class) % alignment != 0) ++size_class;
    return allocate(class_size(size_class));
  }
  const auto units = static_cast<std::uint32_t>(std::max(alignment / unit_size, std::size_t{1}));
  const own_change change(*engine_, *this);
  return with_all_there_is(*this, engine_->memory, bytes,
                           [&] { return engine_->allocate_large(bytes, units); });
}

}  // namespace perdure
