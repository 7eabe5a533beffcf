// Large blocks: runs of units of their own, and the one that each thread keeps for its next request.
#include <algorithm>
#include <bit>
#include <mutex>
#include <new>
#include <utility>

#include "heap/engine.hpp"
#include "segment/segment.hpp"

namespace perdure {

using namespace detail;

namespace {

std::uint32_t units_for(std::size_t bytes) noexcept {
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, (bytes + unit_size - 1) / unit_size));
}

// Rounds a length up, so that a freed block is likely to fit the next request as it is: no piece is left
// over, and the next block begins in a page that was touched before.
std::uint32_t round_large(std::uint32_t units) noexcept {
  constexpr std::uint32_t most = 4;
  const std::uint32_t step = std::clamp(std::bit_floor(units) / 8, 1U, most);
  return (units + step - 1) & ~(step - 1);
}

}  // namespace

void* heap::engine::take_spare(owned_cache* cache, std::size_t bytes) noexcept {
  if (bytes > chunk_size) return nullptr;
  if (cache == nullptr || cache->spare == nullptr || cache->spare_units != round_large(units_for(bytes)))
    return nullptr;
  return std::exchange(cache->spare, nullptr);
}

void* heap::engine::keep_spare(owned_cache& cache, void* block) noexcept {
  const unit_index first = metadata.unit_of(block);
  // Read without the lock: no other thread changes the descriptor of a used block.
  const unit_descriptor& d = metadata.unit(first);
  if (d.kind != unit_kind::large || d.length > units_per_chunk || metadata.address(first) != block ||
      d.length * unit_size > allowance.most_cached())
    return block;
  if (block == cache.spare) {
    const std::lock_guard lock(runs_mutex);
    ++invalid_frees;
    return nullptr;
  }
  cache.spare_units = d.length;
  return std::exchange(cache.spare, block);
}

void* heap::engine::allocate_large(std::size_t bytes, std::uint32_t alignment_units) {
  if (bytes > memory.capacity()) throw std::bad_alloc();
  const std::lock_guard lock(runs_mutex);
  std::uint32_t units = units_for(bytes);
  const std::uint32_t most = data_units - (alignment_units - 1);
  const bool is_huge = units > most;
  if (!is_huge) units = std::min(round_large(units), most);
  if (!allowance.take(units * unit_size)) throw allowance_used_up();
  unit_index first;
  try {
    first = is_huge ? runs.allocate_huge(bytes) : runs.allocate(units, alignment_units);
  } catch (const std::bad_alloc&) {
    allowance.give_back(units * unit_size);
    throw;
  }
  if (!is_huge && units > 1) {
    unit_descriptor& tail = metadata.unit(first + units - 1);
    tail.kind = unit_kind::large_tail;
    tail.length = units - 1;
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
  allowance.give_back(d.length * unit_size);
  if (metadata.header().zones[first / units_per_zone] == zone_kind::huge) {
    d.kind = unit_kind::unused;
    runs.release_huge(first);
  } else {
    runs.release(first, d.length);
  }
}

bool heap::engine::resize_large(void* block, std::size_t bytes) noexcept {
  if (bytes > memory.capacity()) return false;
  const std::lock_guard lock(runs_mutex);
  const unit_index first = metadata.unit_of(block);
  unit_descriptor& d = metadata.unit(first);
  const std::uint32_t old_units = d.length;
  const std::uint32_t needed = units_for(bytes);
  if (metadata.header().zones[first / units_per_zone] == zone_kind::huge) return needed <= old_units;
  const std::uint32_t units = round_large(needed);
  if (needed <= old_units && old_units <= units) return true;
  if (units > old_units) {
    const std::size_t added = (units - old_units) * unit_size;
    if (!allowance.take(added)) return false;
    if (!runs.extend(first, old_units, units)) {
      allowance.give_back(added);
      return false;
    }
  }
  d.length = units;
  if (units > 1) {
    unit_descriptor& tail = metadata.unit(first + units - 1);
    tail.kind = unit_kind::large_tail;
    tail.length = units - 1;
  }
  // Released last, because the release looks at the unit before, which is this block's new tail by now.
  if (units < old_units) {
    runs.release(first + units, old_units - units);
    allowance.give_back((old_units - units) * unit_size);
  }
  metadata.header().large_units += units;
  metadata.header().large_units -= old_units;
  return true;
}

}  // namespace perdure
