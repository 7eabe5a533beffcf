// The public face of the heap: format and attach, and what a program asks for beside allocating and freeing.
#include "perdure/heap.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "heap/allocation_failure.hpp"
#include "heap/engine.hpp"
#include "perdure/error.hpp"
#include "segment/segment.hpp"

namespace perdure {

using namespace detail;

heap::heap(detail::segment& memory) : base_(memory.base()) {
  engine_ = std::make_unique<engine>(*this, memory);
  cache_slot_ = std::min(engine_->number, cache_slots - 1);
}

heap::~heap() = default;

std::unique_ptr<heap> heap::format(detail::segment& memory) {
  if (memory.capacity() < data_offset + chunk_size)
    throw error(errc::invalid_argument, "a heap needs a segment of at least 24 MiB");
  memory.grow(data_offset);
  if (memory.commits_on_use()) memory.commit({0, data_offset / page_size}, detail::page_role::bookkeeping);
  heap_header& header = metadata(memory.base()).header();
  header.version = heap_version;
  header.class_count = class_count;
  header.class_checksum = geometry_checksum;
  header.magic = heap_magic;
  std::unique_ptr<heap> formatted(new heap(memory));
  formatted->engine_->runs.add_zone();  // zone 0 is never part of a huge block: it holds the header
  return formatted;
}

std::unique_ptr<heap> heap::attach(detail::segment& memory) {
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
  if (header.zone_count > max_zones ||
      (header.zone_count != 0 && (header.zone_count - std::size_t{1}) * zone_size >= memory.size()))
    throw error(errc::damaged, "the heap header counts more zones than the segment can hold");
  return std::unique_ptr<heap>(new heap(memory));
}

std::size_t heap::usable_size(const void* block) const noexcept {
  const unsigned class_plus_one = class_byte(block);
  if (class_plus_one != 0) return class_size(class_plus_one - 1);
  return std::size_t{engine_->metadata.unit(engine_->metadata.unit_of(block)).length} * unit_size;
}

void heap::refuse_length(std::size_t elements, std::size_t element_bytes) const {
  throw_no_such_length(engine_->memory, elements, element_bytes);
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

std::vector<detail::page_run> heap::release_free_memory() {
  const std::lock_guard lock(engine_->runs_mutex);
  return engine_->runs.take_idle_chunks();
}

bool heap::trim() {
  const own_change change(*engine_, *this);
  // Discarded under the lock: without it a run could be allocated meanwhile.
  const std::lock_guard lock(engine_->runs_mutex);
  const std::vector<detail::page_run> chunks = engine_->runs.take_idle_parts();
  for (const detail::page_run& run : chunks) engine_->memory.discard(run);
  return !chunks.empty();
}

void heap::lock() noexcept {
  // The locks are taken in the same order as elsewhere: caches, then a bin, then the runs.
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

  // In the metadata, blocks in caches count as used. This looks into the calling thread's cache only; it
  // cannot look into others.
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
