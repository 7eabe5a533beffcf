// The volatile side of an open heap: made and destroyed, and found by the address of any block.
#include "heap/engine.hpp"

#include "segment/segment.hpp"

namespace perdure {

using namespace detail;

namespace detail {
std::atomic<heap*> heap_table[heap_table_size];

namespace {

void register_heap(const segment& memory, heap* value) noexcept {
  const std::size_t first = reinterpret_cast<std::uintptr_t>(memory.base()) >> zone_shift;
  const std::size_t count = (memory.capacity() + zone_size - 1) / zone_size;
  for (std::size_t i = first; i < first + count && i < heap_table_size; ++i)
    heap_table[i].store(value, std::memory_order_release);
}

// Bytes of the blocks that an earlier run left, by the counters.
std::uint64_t used_bytes(const heap_header& header) noexcept {
  std::uint64_t sum = header.large_units * unit_size;
  for (unsigned c = 0; c < class_count; ++c) sum += header.used_blocks[c] * class_size(c);
  return sum;
}

}  // namespace
}  // namespace detail

heap::engine::engine(heap& owner, detail::segment& segment_memory)
    : number(take_heap_number()),
      memory(segment_memory),
      metadata(segment_memory.base()),
      allowance(segment_memory.limit(), segment_memory.capacity(), used_bytes(metadata.header())),
      runs(segment_memory) {
  for (unsigned c = 0; c < class_count; ++c) bins[c].attach(c, memory.base(), runs, runs_mutex, allowance);
  register_heap(memory, &owner);
}

heap::engine::~engine() {
  register_heap(memory, nullptr);
  orphan_all(caches);
  return_heap_number(number);
}

namespace detail {
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
}  // namespace detail

bool heap::engine::has_metadata_for(std::uint64_t offset) const noexcept {
  if ((offset & zone_mask) < data_offset) return false;
  const zone_kind kind = metadata.header().zones[offset / zone_size];
  return kind == zone_kind::runs || kind == zone_kind::huge;
}

}  // namespace perdure
