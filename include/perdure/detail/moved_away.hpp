// Assignments that lose what was moved away to make room for them.
//
// Where containers with memory of different stores are moved, elements are, and that may throw. An assignment
// that throws loses nothing by itself. But `std::swap(a, b)`, called by that name, moves `a` to the stack,
// then `b` to `a`, then the stack's to `b`: if the second or the third throws, what was in `a` goes with the
// stack, and `b` may have been emptied before. The program learns of it, as it does of any failure, and may
// go on to a checkpoint.
//
// So each thread remembers from where it has moved content away last. If an assignment to one of these
// containers fails, the heaps in which the two lie count it, as those of failed_move.hpp, and checkpoints
// refuse to commit; so they do if what was moved out of a store, to the stack, cannot be moved on.
#pragma once

#include <cstdint>
#include <memory>
#include <perdure/heap.hpp>

namespace perdure::detail {

/// The containers in one object, or in several beside each other: all were moved by the same distance.
struct moved_containers {
  std::uintptr_t distance;  ///< modulo 2^64
  std::uintptr_t first;
  std::uintptr_t last;
};
struct moves_away {
  moved_containers constructed;  ///< out of a store, with their memory, to where no store is
  moved_containers assigned;     ///< out of a store, element by element
};
/// Contents that this thread has moved away.
extern __thread moves_away moved_by_thread __attribute__((tls_model("initial-exec")));

inline void note_moved(moved_containers& noted, const void* from, const void* to) noexcept {
  const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(from);
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(to) - place;
  // The members of an object are moved in their order.
  if (distance != noted.distance || place < noted.last) {
    noted.distance = distance;
    noted.first = place;
  }
  noted.last = place;
}

/// For the constructor of a container at `to`, which takes the content and the memory of that at `from`.
inline void note_moved_out(const void* from, const void* to) noexcept {
  note_moved(moved_by_thread.constructed, from, to);
}

/// Counts what is lost where content could not be moved from a container whose memory is in the heap
/// `memory`, which may be null. `before` is what the thread had moved away before it began.
void count_lost_content(const void* to, const void* from, heap* memory, const moves_away& before) noexcept;

/// `assign` moves the elements of `from`, which has other memory, to `to`.
template <class Container, class Assign>
void assign_elementwise(Container& to, Container& from, heap* memory, Assign assign) {
  // What is inside is moved too, and would be taken for the last.
  const moves_away before = moved_by_thread;
  try {
    assign();
  } catch (...) {
    count_lost_content(std::addressof(to), std::addressof(from), memory, before);
    throw;
  }
  moved_by_thread = before;
  if (heap::containing(std::addressof(from)) != nullptr)
    note_moved(moved_by_thread.assigned, std::addressof(from), std::addressof(to));
}

}  // namespace perdure::detail
