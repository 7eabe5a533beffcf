// Memory without names.
#include "perdure/c/allocation.h"

#include "c/alignment.hpp"
#include "c/handles.hpp"
#include "perdure/heap.hpp"

using namespace perdure::c;

namespace {

/// The heap follows an address into its metadata, so it must not be given one that is no block's.
void require_block(const perdure::heap& memory, const void* block) {
  if (!memory.owns(block)) refuse("the address is not that of an allocated block of this store");
}

}  // namespace

perdure_status perdure_allocate(perdure_store* store, size_t size, void** block) {
  return guarded([&] {
    void*& result = required_result(block, "block");
    auto& core = core_of(store);
    core.require_writable();
    result = core.memory().allocate(size);
  });
}

perdure_status perdure_allocate_aligned(perdure_store* store, size_t size, size_t alignment, void** block) {
  return guarded([&] {
    void*& result = required_result(block, "block");
    auto& core = core_of(store);
    core.require_writable();
    require_alignment(alignment);
    result = core.memory().allocate(size, alignment);
  });
}

perdure_status perdure_deallocate(perdure_store* store, void* block) {
  return guarded([&] {
    auto& core = core_of(store);
    core.require_writable();
    if (block == nullptr) return;
    require_block(core.memory(), block);
    core.memory().deallocate(block);
  });
}

perdure_status perdure_reallocate(perdure_store* store, void* block, size_t size, void** resized) {
  return guarded([&] {
    void*& result = required(resized, "resized");
    auto& core = core_of(store);
    // `resized` may be where the caller keeps the block's own address, which a failure must not erase.
    void* const old = block;
    core.require_writable();
    if (old != nullptr) require_block(core.memory(), old);
    result = core.memory().reallocate(old, size);
  });
}

perdure_status perdure_usable_size(const perdure_store* store, const void* block, size_t* size) {
  return guarded([&] {
    required(size, "size") = 0;
    auto& core = core_of(store);
    core.require_memory();
    const auto& memory = core.memory();
    require_block(memory, block);
    *size = memory.usable_size(block);
  });
}

perdure_status perdure_heap_stats_get(const perdure_store* store, perdure_heap_stats* stats) {
  return guarded([&] {
    auto& core = core_of(store);
    core.require_memory();
    const perdure::heap_stats now = core.memory().stats();
    perdure_heap_stats value{};
    value.used_bytes = now.used_bytes;
    value.free_bytes = now.free_bytes;
    value.metadata_bytes = now.metadata_bytes;
    value.segment_bytes = now.segment_bytes;
    value.blocks = now.blocks;
    fill(stats, value, "stats");
  });
}
