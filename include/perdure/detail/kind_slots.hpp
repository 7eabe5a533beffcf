// Where kind objects lie: a row of places, so that it is quick to tell whether an address is that of a kind
// that exists. A place is used again only when none is left that never was.
#pragma once

#include <atomic>
#include <bit>
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

/// The kind at an address, which may be any value, if it exists or ever did; null if it is none. What a kind
/// that is gone leaves behind has neither blocks nor cache.
inline kind* kind_once_at(const void* address) noexcept {
  const std::uintptr_t distance =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(slots);
  // Turned round, a distance between two places is a large number too.
  if (std::rotr(distance, std::countr_zero(slot_bytes)) >= slots_used.load(std::memory_order_acquire))
      [[unlikely]]
    return nullptr;
  return const_cast<kind*>(static_cast<const kind*>(address));
}

/// The kind at an address, which may be any value; null if there is none.
inline kind* kind_at(const void* address) noexcept {
  kind* const found = kind_once_at(address);
  if (found == nullptr) return nullptr;
  const auto index = reinterpret_cast<const kind_slot*>(found) - slots;
  return slot_is_live[index].load(std::memory_order_relaxed) ? found : nullptr;
}

/// The short way of a kind, or of what one left behind: null or false where it ends.
struct kind_cache_access {
  static void* take(const kind& k, std::size_t bytes) noexcept { return k.take_cached(bytes); }
  static bool put(const kind& k, void* block) noexcept { return k.put_cached(block); }
};

}  // namespace perdure::detail
