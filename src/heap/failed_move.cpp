// Containers that were moved into a heap, found no room there, and are empty.
#include "perdure/detail/failed_move.hpp"

#include <array>
#include <cstddef>
#include <exception>
#include <functional>
#include <utility>

#include "perdure/heap.hpp"

namespace perdure::detail {
namespace {

/// Failures that are noted for constructions to take; those beyond are told to the heap at once.
constexpr std::size_t most_noted = 64;
thread_local std::array<const void*, most_noted> failed{};
thread_local std::exception_ptr last_failure;

void count(const void* container) noexcept {
  if (heap* const memory = heap::containing(container)) memory->count_failed_move();
}

}  // namespace

__thread move_failures failures_of_thread = {};

void note_failed_move(const void* container) noexcept {
  last_failure = std::current_exception();
  move_failures& mine = failures_of_thread;
  if (mine.constructing == 0 || mine.noted == most_noted) return count(container);
  failed[mine.noted++] = container;
}

bool take_failed_moves(const void* object, std::size_t bytes, unsigned before) noexcept {
  const auto* const first = static_cast<const std::byte*>(object);
  const std::less<const void*> is_before;
  bool taken = false;
  for (unsigned i = before; i != failures_of_thread.noted; ++i) {
    if (failed[i] == nullptr || is_before(failed[i], first) || !is_before(failed[i], first + bytes)) continue;
    failed[i] = nullptr;
    taken = true;
  }
  return taken;
}

void count_failed_moves() noexcept {
  const unsigned noted = std::exchange(failures_of_thread.noted, 0);
  for (unsigned i = 0; i != noted; ++i) {
    if (failed[i] != nullptr) count(failed[i]);
  }
}

void throw_last_failure() {
  std::rethrow_exception(std::exchange(last_failure, nullptr));
}

}  // namespace perdure::detail
