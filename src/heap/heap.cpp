// The public face of the heap engine: format, attach, and the paths that the inline hot path falls back to.
//
// A small block travels slab -> bin -> thread's cache -> program and back; only the first two know it in
// the segment's metadata, so a checkpoint first empties the caches. Large blocks go to the run allocator.

#include "perdure/heap.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "heap/allocation_failure.hpp"
#include "heap/engine.hpp"
#include "perdure/error.hpp"
#include "segment/segment.hpp"

namespace perdure {

using namespace detail;

namespace detail {
std::atomic<heap*> heap_table[heap_table_size];

namespace {

void register_heap(const segment& memory, heap* value) noexcept {
  const std::size_t first = reinterpret_cast<std::uintptr_t>(memory.base()) >> region_shift;
  const std::size_t count = (memory.capacity() + region_size - 1) / region_size;
  for (std::size_t i = first; i < first + count && i < heap_table_size; ++i)
    heap_table[i].store(value, std::memory_order_release);
}

std::uint32_t units_for(std::size_t bytes) noexcept {
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, (bytes + unit_size - 1) / unit_size));
}

// So that a freed block is likely to fit the next one as it is: no pieces are left over, and the next one
// begins in a page that was touched before.
std::uint32_t round_large(std::uint32_t units) noexcept {
  constexpr std::uint32_t most = 4;
  const std::uint32_t step = std::clamp(std::bit_floor(units) / 8, 1U, most);
  return (units + step - 1) & ~(step - 1);
}

}  // namespace
}  // namespace detail

heap::engine::engine(heap& owner, segment& segment_memory)
    : number(take_heap_number()),
      memory(segment_memory),
      metadata(segment_memory.base()),
      runs(segment_memory),
      process(::getpid()) {
  for (unsigned c = 0; c < class_count; ++c) bins[c].attach(c, memory.base(), runs, runs_mutex);
  register_heap(memory, &owner);
}

heap::engine::~engine() {
  register_heap(memory, nullptr);
  orphan_all(caches);
  return_heap_number(number);
}

namespace detail {
// The only way from a cache's owner to its engine, which is private to heap: kept by address.
struct heap_access {
  static heap::engine& engine_of(heap& h) noexcept { return *h.engine_; }
  static const heap::engine& engine_of(const heap& h) noexcept { return *h.engine_; }
};
std::array<bin, class_count>& bins_of(heap& owner) noexcept {
  return heap_access::engine_of(owner).bins;
}
std::vector<owned_cache*>& caches_of(heap& owner) noexcept {
  return heap_access::engine_of(owner).caches;
}
bool is_own(const heap& owner) noexcept {
  return heap_access::engine_of(owner).memory.held() == possession::own;
}
void return_large(heap& owner, void* block) noexcept {
  heap_access::engine_of(owner).deallocate_large(block);
}
bool is_shut(heap& owner) noexcept {
  return heap_access::engine_of(owner).is_shut();
}

namespace {

// Inside a change, where nobody else touches it.
void* take_last(cache_bin& cached) noexcept {
  const std::uint32_t rest = cached.count.load(std::memory_order_relaxed) - 1;
  cached.count.store(rest, std::memory_order_relaxed);
  return cached.blocks[rest];
}

// What the thread keeps for itself may be what is missing.
template <class Allocate>
void* with_all_there_is(heap& memory, const segment& bounds, std::size_t bytes, Allocate allocate) {
  try {
    return allocate();
  } catch (const std::bad_alloc&) {
    memory.flush_own_cache();
    try {
      return allocate();
    } catch (const std::bad_alloc&) {
      throw_no_block(bounds, bytes);
    }
  }
}

}  // namespace
}  // namespace detail

heap::heap(segment& memory) : base_(memory.base()) {
  engine_ = std::make_unique<engine>(*this, memory);
  cache_slot_ = std::min(engine_->number, cache_slots - 1);
}

heap::~heap() = default;

std::unique_ptr<heap> heap::format(segment& memory) {
  if (memory.capacity() < data_offset + chunk_size)
    throw error(errc::invalid_argument, "a heap needs a segment of at least 24 MiB");
  memory.grow(data_offset);
  if (memory.commits_on_use()) memory.commit({0, data_offset / page_size}, page_role::bookkeeping);
  heap_header& header = metadata(memory.base()).header();
  header.version = heap_version;
  header.class_count = class_count;
  header.class_checksum = geometry_checksum;
  header.magic = heap_magic;
  std::unique_ptr<heap> formatted(new heap(memory));
  formatted->engine_->runs.add_region();  // region 0 is never part of a huge block: it holds the header
  return formatted;
}

std::unique_ptr<heap> heap::attach(segment& memory) {
  if (memory.size() < data_offset)
    throw error(errc::damaged, "the segment is too short to hold a heap: the store was never completed");
  memory.require_sound({0, class_map_offset / page_size});
  const heap_header& header = metadata(memory.base()).header();
  if (header.magic != heap_magic) throw error(errc::damaged, "the segment does not begin with a heap");
  if (header.version > heap_version)
    throw error(errc::too_new, "the heap has format " + std::to_string(header.version) +
                                   ", this library reads up to " + std::to_string(heap_version) +
                                   ": use a newer library");
  if (header.version < heap_version || header.class_count != class_count ||
      header.class_checksum != geometry_checksum)
    throw error(errc::too_old,
                "the heap was written with other size classes: copy the data with the library that wrote it");
  if (header.region_count > max_regions ||
      (header.region_count != 0 && (header.region_count - std::size_t{1}) * region_size >= memory.size()))
    throw error(errc::damaged, "the heap header counts more regions than the segment can hold");
  return std::unique_ptr<heap>(new heap(memory));
}

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
  cache->widen(size_class);
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
  } catch (const std::bad_alloc&) {  // no ordinary memory for a cache: go without
    return nullptr;
  }
}

void* heap::engine::take_spare(owned_cache* cache, std::size_t bytes) noexcept {
  if (bytes > chunk_size) return nullptr;
  if (cache == nullptr || cache->spare == nullptr || cache->spare_units != round_large(units_for(bytes)))
    return nullptr;
  return std::exchange(cache->spare, nullptr);
}

void* heap::engine::keep_spare(owned_cache& cache, void* block) noexcept {
  const unit_index first = metadata.unit_of(block);
  // Without the lock: nobody else changes what is written of a block that is used.
  const unit_descriptor& d = metadata.unit(first);
  if (d.kind != unit_kind::large || d.length > units_per_chunk || metadata.address(first) != block)
    return block;
  if (block == cache.spare) {
    const std::lock_guard lock(runs_mutex);
    ++invalid_frees;
    return nullptr;
  }
  cache.spare_units = d.length;
  return std::exchange(cache.spare, block);
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
  if (count == cached.capacity && !cache->widen(size_class)) {
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

void heap::refuse_length(std::size_t elements, std::size_t element_bytes) const {
  throw_no_such_length(engine_->memory, elements, element_bytes);
}

void* heap::engine::allocate_large(std::size_t bytes, std::uint32_t alignment_units) {
  if (bytes > memory.capacity()) throw std::bad_alloc();
  const std::lock_guard lock(runs_mutex);
  std::uint32_t units = units_for(bytes);
  const std::uint32_t most = data_units - (alignment_units - 1);
  unit_index first;
  if (units > most) {
    first = runs.allocate_huge(bytes);
  } else {
    units = std::min(round_large(units), most);
    first = runs.allocate(units, alignment_units);
    if (units > 1) {
      unit_descriptor& tail = metadata.unit(first + units - 1);
      tail.kind = unit_kind::large_tail;
      tail.length = units - 1;
    }
  }
  unit_descriptor& d = metadata.unit(first);
  d.kind = unit_kind::large;
  d.length = units;
  metadata.header().large_units += units;
  ++metadata.header().large_blocks;
  return metadata.address(first);
}

void heap::engine::deallocate_large(void* block) noexcept {
  const std::lock_guard lock(runs_mutex);
  const unit_index first = metadata.unit_of(block);
  unit_descriptor& d = metadata.unit(first);
  if (d.kind != unit_kind::large || metadata.address(first) != block) {
    ++invalid_frees;
    return;
  }
  metadata.header().large_units -= d.length;
  --metadata.header().large_blocks;
  if (metadata.header().regions[first / units_per_region] == region_kind::huge) {
    d.kind = unit_kind::unused;
    runs.release_huge(first);
  } else {
    runs.release(first, d.length);
  }
}

bool heap::engine::has_metadata_for(std::uint64_t offset) const noexcept {
  if ((offset & region_mask) < data_offset) return false;
  const region_kind kind = metadata.header().regions[offset / region_size];
  return kind == region_kind::runs || kind == region_kind::huge;
}

bool heap::engine::resize_large(void* block, std::size_t bytes) noexcept {
  if (bytes > memory.capacity()) return false;
  const std::lock_guard lock(runs_mutex);
  const unit_index first = metadata.unit_of(block);
  unit_descriptor& d = metadata.unit(first);
  const std::uint32_t old_units = d.length;
  const std::uint32_t needed = units_for(bytes);
  if (metadata.header().regions[first / units_per_region] == region_kind::huge) return needed <= old_units;
  const std::uint32_t units = round_large(needed);
  if (needed <= old_units && old_units <= units) return true;
  if (units > old_units && !runs.extend(first, old_units, units)) return false;
  d.length = units;
  if (units > 1) {
    unit_descriptor& tail = metadata.unit(first + units - 1);
    tail.kind = unit_kind::large_tail;
    tail.length = units - 1;
  }
  // Last, because the release looks at the unit before it: by now this block's new tail.
  if (units < old_units) runs.release(first + units, old_units - units);
  metadata.header().large_units += units;
  metadata.header().large_units -= old_units;
  return true;
}

std::size_t heap::usable_size(const void* block) const noexcept {
  const unsigned class_plus_one = class_byte(block);
  if (class_plus_one != 0) return class_size(class_plus_one - 1);
  return std::size_t{engine_->metadata.unit(engine_->metadata.unit_of(block)).length} * unit_size;
}

bool heap::try_expand(void* block, std::size_t bytes) noexcept {
  const unsigned class_plus_one = class_byte(block);
  if (class_plus_one != 0) return bytes <= class_size(class_plus_one - 1);
  const own_change change(*engine_, *this);
  return engine_->resize_large(block, bytes);
}

void* heap::reallocate(void* block, std::size_t bytes) {
  if (block == nullptr) return allocate(bytes);
  const std::size_t old_bytes = usable_size(block);
  // A block that would leave more than half of itself unused moves to a smaller one.
  const bool keeps_place = bytes > max_small_size || bytes * 2 > old_bytes || old_bytes <= 16;
  if (keeps_place && try_expand(block, bytes)) return block;
  void* moved = allocate(bytes);
  std::memcpy(moved, block, std::min(bytes, old_bytes));
  deallocate(block);
  return moved;
}

void heap::flush_caches() {
  const standstill still(*this);
}

void heap::flush_own_cache() noexcept {
  const own_change change(*engine_, *this);
  if (change.cache() != nullptr) change.cache()->flush(*this);
}

void* heap::move_to_denser(void* block) noexcept {
  const unsigned class_plus_one = class_byte(block);
  const own_change change(*engine_, *this);
  return class_plus_one == 0 ? nullptr : engine_->bins[class_plus_one - 1].move_to_denser(block);
}

std::vector<page_run> heap::release_free_memory() {
  const std::lock_guard lock(engine_->runs_mutex);
  return engine_->runs.take_idle_chunks();
}

bool heap::trim() {
  const own_change change(*engine_, *this);
  // Discarded under the lock: without it a run could be allocated meanwhile.
  const std::lock_guard lock(engine_->runs_mutex);
  const std::vector<page_run> chunks = engine_->runs.take_idle_parts();
  for (const page_run& run : chunks) engine_->memory.discard(run);
  return !chunks.empty();
}

void heap::lock() noexcept {
  // In the order in which they are taken elsewhere: caches, then one bin, then the runs.
  lock_caches();
  for (bin& b : engine_->bins) b.lock();
  engine_->runs_mutex.lock();
}

void heap::unlock() noexcept {
  engine_->runs_mutex.unlock();
  for (bin& b : engine_->bins) b.unlock();
  unlock_caches();
}

std::uint64_t heap::root() const noexcept {
  return engine_->metadata.header().root;
}
void heap::set_root(std::uint64_t offset) noexcept {
  const own_change change(*engine_, *this);
  engine_->metadata.header().root = offset;
}

bool heap::begins_block(const void* address) const noexcept {
  if (!engine_->has_metadata_for(offset_of(address))) return false;
  const detail::metadata& known = engine_->metadata;
  const unsigned class_plus_one = class_byte(address);
  const unit_index unit = known.unit_of(address);
  if (class_plus_one == 0) return known.unit(unit).kind == unit_kind::large && known.address(unit) == address;
  const std::byte* const first = known.address(known.slab_of(unit));
  const auto offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - first);
  return offset % slab_geometries[class_plus_one - 1].block_size == 0;
}

bool heap::owns(const void* block) const noexcept {
  if (containing(block) != this) return false;
  const std::uint64_t offset = offset_of(block);
  if (offset >= engine_->memory.size() || !engine_->has_metadata_for(offset)) return false;

  // To the metadata, blocks in caches are used. Those in other threads' caches are beyond reach.
  const own_change change(*engine_, const_cast<heap&>(*this));
  const owned_cache* const cache = change.cache();
  const unsigned class_plus_one = class_byte(block);
  if (class_plus_one == 0) {
    const std::lock_guard lock(engine_->runs_mutex);
    const unit_index first = engine_->metadata.unit_of(block);
    return engine_->metadata.unit(first).kind == unit_kind::large &&
           engine_->metadata.address(first) == block && (cache == nullptr || cache->spare != block);
  }
  if (class_plus_one > class_count || !engine_->bins[class_plus_one - 1].is_used(block)) return false;
  if (cache == nullptr) return true;
  const cache_bin& cached = cache->bins[class_plus_one - 1];
  void** const end = cached.blocks + cached.count.load(std::memory_order_relaxed);
  return std::find(cached.blocks, end, block) == end;
}

void heap::reject_invalid_free(const void* block) const noexcept {
  if (owns(block)) return;
  std::fprintf(stderr, "perdure: %p is freed, but it is not an allocated block of this heap (freed twice?)\n",
               block);
  std::abort();
}

}  // namespace perdure
