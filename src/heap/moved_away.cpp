// Remembers from where each thread has moved containers away, and counts what was lost by that.
#include "perdure/detail/moved_away.hpp"

namespace perdure::detail {
namespace {

bool covers(const moved_containers& moved, const void* container) noexcept {
  const auto place = reinterpret_cast<std::uintptr_t>(container);
  return place >= moved.first && place <= moved.last;
}

}  // namespace

__thread moves_away moved_by_thread = {};

void count_lost_content(const void* to, const void* from, heap* memory, const moves_away& before) noexcept {
  moved_by_thread = before;
  heap* const target = heap::containing(to);
  heap* const source = heap::containing(from);
  const bool made_room = covers(before.constructed, to) || covers(before.assigned, to);
  if (made_room && target != nullptr) target->count_failed_move();
  if (made_room && source != nullptr && source != target) source->count_failed_move();
  if (source == nullptr && memory != nullptr && memory != target) memory->count_failed_move();
}

}  // namespace perdure::detail
