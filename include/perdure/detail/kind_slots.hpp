// Where kind objects lie: a row of places, so that it is quick to tell whether an address is that of a kind
// that exists. A place is used again only when none is left that never was.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <perdure/kind.hpp>

namespace perdure::detail {

inline constexpr std::size_t slot_bytes = 64;
inline constexpr std::size_t most_kinds = 64 * 1024;
static_assert(sizeof(kind) <= slot_bytes);

struct alignas(slot_bytes) kind_slot {
  std::byte place[slot_bytes];
};
extern kind_slot slots[most_kinds];
extern std::atomic<std::uint32_t> slots_used;
extern std::atomic<bool> slot_is_live[most_kinds];

/// Throws `std::bad_alloc`: all places are taken.
void* take_slot();
void return_slot(void* place) noexcept;

/// The kind at an address, which may be any value; null if there is none.
inline kind* kind_at(const void* address) noexcept {
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(slots);
  const std::uintptr_t index = distance / slot_bytes;
  if (distance % slot_bytes != 0 || index >= slots_used.load(std::memory_order_acquire) ||
      !slot_is_live[index].load(std::memory_order_relaxed))
    return nullptr;
  return reinterpret_cast<kind*>(&slots[index]);
}

}  // namespace perdure::detail
