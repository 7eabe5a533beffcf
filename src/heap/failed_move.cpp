#include "perdure/detail/failed_move.hpp"

#include <exception>
#include <utility>

#include "perdure/heap.hpp"

namespace perdure::detail {
namespace {

thread_local std::exception_ptr last_failure;

}  // namespace

__thread unsigned failed_moves = 0;

void note_failed_move(const void* container) noexcept {
  last_failure = std::current_exception();
  ++failed_moves;
  if (heap* const memory = heap::containing(container)) memory->count_failed_moves(1);
}

void forget_failed_moves(const void* object, unsigned before) noexcept {
  const auto failed = static_cast<int>(failed_moves - before);
  if (heap* const memory = heap::containing(object)) memory->count_failed_moves(-failed);
  failed_moves = before;
}

void rethrow_failed_move(const void* object, unsigned before) {
  forget_failed_moves(object, before);
  std::rethrow_exception(std::exchange(last_failure, nullptr));
}

}  // namespace perdure::detail
