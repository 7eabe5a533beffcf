// The places of kinds in a table, by which the short way finds their heaps.
#include "perdure/detail/kind_slots.hpp"

#include <deque>
#include <mutex>
#include <new>

#include "base/invariant.hpp"

namespace perdure::detail {

kind_slot slots[most_kinds];
std::atomic<std::uint32_t> slots_used{0};
std::atomic<bool> slot_is_live[most_kinds];

namespace {
std::mutex slots_mutex;
// The slot that has been unused for the longest time comes first. Never destroyed, as kinds may be destroyed
// after every static destructor has run.
std::deque<std::uint32_t>& returned_slots() {
  static std::deque<std::uint32_t>& returned = *new std::deque<std::uint32_t>;
  return returned;
}
}  // namespace

void* take_slot() {
  const std::lock_guard lock(slots_mutex);
  std::uint32_t index = slots_used.load(std::memory_order_relaxed);
  if (index == most_kinds) {
    std::deque<std::uint32_t>& returned = returned_slots();
    if (returned.empty()) throw std::bad_alloc();
    index = returned.front();
    returned.pop_front();
  } else {
    slots_used.store(index + 1, std::memory_order_release);
  }
  slot_is_live[index].store(true, std::memory_order_relaxed);
  return &slots[index];
}

void return_slot(void* place) noexcept {
  const auto index = static_cast<std::uint32_t>(static_cast<kind_slot*>(place) - slots);
  const std::lock_guard lock(slots_mutex);
  PERDURE_INVARIANT(index < most_kinds && slot_is_live[index].load(std::memory_order_relaxed));
  slot_is_live[index].store(false, std::memory_order_relaxed);
  // From now on `kind_once_at` finds no heap here.
  new (place) std::atomic<heap*>(no_heap());
  try {
    returned_slots().push_back(index);
  } catch (const std::bad_alloc&) {  // one place of 65536 is lost
  }
}

}  // namespace perdure::detail
