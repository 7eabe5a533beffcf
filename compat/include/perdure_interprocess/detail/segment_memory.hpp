// Memory of an open store, with Boost's conventions: what allocators and segment managers have in common.
//
// It needs only an address inside the store: the heap is found from it by one table look-up.
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <perdure/heap.hpp>
#include <perdure_interprocess/containers/allocation_type.hpp>
#include <perdure_interprocess/detail/open_file.hpp>
#include <perdure_interprocess/exceptions.hpp>

namespace perdure_interprocess::detail {

inline perdure::heap& heap_of(const void* address) {
  perdure::heap* const memory = perdure::heap::containing(address);
  if (memory == nullptr) throw_not_open();
  return *memory;
}

/// Null where no memory is to be had, also for an alignment that the heap does not offer.
inline void* allocate_or_null(perdure::heap& memory, std::size_t bytes, std::size_t alignment) noexcept {
  try {
    return alignment <= 16 ? memory.allocate(bytes) : memory.allocate(bytes, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

inline void* allocate_elements(perdure::heap& memory, std::size_t count, std::size_t size,
                               std::size_t alignment) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  void* const block = count > most / size ? nullptr : allocate_or_null(memory, count * size, alignment);
  if (block == nullptr) throw bad_alloc();
  return block;
}

/// Boost's allocation_command for elements of `size` bytes: tries what the flags of `command` allow, in
/// place first. `count` is the preferred number of elements, then the number there is room for. `limit` is
/// the least that will do, or, for shrinking, the most. `reuse` becomes null when the block is a new one.
/// Null where nothing helped; `count` then tells what the block of `reuse` has. Blocks never grow backwards.
inline void* allocation_command(perdure::heap& memory, allocation_type command, std::size_t limit,
                                std::size_t& count, void*& reuse, std::size_t size, std::size_t alignment) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  const std::size_t wanted = count;
  const auto room = [&](const void* block) { return memory.usable_size(block) / size; };
  if ((command & (shrink_in_place | try_shrink_in_place)) != 0) {
    if (reuse == nullptr || wanted > limit || limit > room(reuse)) return nullptr;
    const bool may_fail = (command & try_shrink_in_place) != 0;
    const bool shrunk = memory.try_expand(reuse, wanted * size);
    count = room(reuse);
    return may_fail || (shrunk && count <= limit) ? reuse : nullptr;
  }
  if (wanted < limit || wanted > most / size) {
    if (reuse != nullptr) count = room(reuse);
    return nullptr;
  }
  if ((command & expand_fwd) != 0 && reuse != nullptr) {
    const std::size_t before = room(reuse);
    if (memory.try_expand(reuse, wanted * size) || memory.try_expand(reuse, limit * size)) {
      count = room(reuse);
      if ((command & zero_memory) != 0 && count > before)
        std::memset(static_cast<std::byte*>(reuse) + before * size, 0, (count - before) * size);
      return reuse;
    }
  }
  if ((command & allocate_new) != 0) {
    void* block = allocate_or_null(memory, wanted * size, alignment);
    if (block == nullptr && limit != wanted) block = allocate_or_null(memory, limit * size, alignment);
    if (block != nullptr) {
      count = room(block);
      if ((command & zero_memory) != 0) std::memset(block, 0, count * size);
      reuse = nullptr;
      return block;
    }
  }
  if (reuse != nullptr) count = room(reuse);
  return nullptr;
}

/// Adds `n` blocks to the chain, the i-th of `bytes_of(i)` bytes; none if there is not memory for all.
template <class Chain, class BytesOf>
bool allocate_many(perdure::heap& memory, Chain& chain, std::size_t n, BytesOf bytes_of) noexcept {
  using pointer = decltype(chain.pop_front());
  using element = typename std::pointer_traits<pointer>::element_type;
  Chain fresh;
  for (std::size_t i = 0; i < n; ++i) {
    // The chain's links are kept in the blocks.
    const std::size_t wanted = bytes_of(i);
    const std::size_t bytes = wanted < sizeof(void*) ? sizeof(void*) : wanted;
    void* const block = wanted == 0 ? nullptr : allocate_or_null(memory, bytes, alignof(void*));
    if (block == nullptr) {
      while (!fresh.empty()) memory.deallocate(static_cast<void*>(std::to_address(fresh.pop_front())));
      return false;
    }
    fresh.push_back(pointer(static_cast<element*>(block)));
  }
  if (!fresh.empty())
    chain.splice_after(chain.last(), fresh, fresh.before_begin(), fresh.last(), fresh.size());
  return true;
}

template <class Chain>
void deallocate_many(perdure::heap& memory, Chain& chain) noexcept {
  while (!chain.empty()) memory.deallocate(static_cast<void*>(std::to_address(chain.pop_front())));
}

}  // namespace perdure_interprocess::detail
