// Moves that found no room.
//
// Move constructors must not throw: containers that grow, and the classes of users, count on it. But a
// container that is moved into a store from ordinary memory, or from another store, has to be copied, and the
// store may be full. It is empty then, and its place is kept here until the constructor of the object around
// it has returned to Perdure, which destroys the object and throws the failure. Where no construction of
// Perdure's is around it (a placement new of the user's, an optional's `emplace`), the heap counts it, and
// checkpoints refuse to commit.
#pragma once

#include <cstddef>
#include <memory>

namespace perdure::detail {

struct move_failures {
  unsigned noted;         ///< in the constructions that go on
  unsigned constructing;  ///< constructions of these objects that are under way, one inside the other
};
/// Failed moves of this thread.
extern __thread move_failures failures_of_thread __attribute__((tls_model("initial-exec")));

/// For a handler of the exception, which it keeps.
void note_failed_move(const void* container) noexcept;
/// Whether containers inside the object have failed since there were `before`; they are forgotten.
bool take_failed_moves(const void* object, std::size_t bytes, unsigned before) noexcept;
/// Has the heaps count what no construction has taken.
void count_failed_moves() noexcept;
[[noreturn]] void throw_last_failure();

inline void end_construction() noexcept {
  if (--failures_of_thread.constructing == 0 && failures_of_thread.noted != 0) [[unlikely]]
    count_failed_moves();
}

/// Around the construction of an object: if containers in it were moved and found no room it is destroyed,
/// and the failure thrown.
template <class T, class Construct>
void construct_whole(T* object, Construct construct) {
  const unsigned before = failures_of_thread.noted;
  ++failures_of_thread.constructing;
  try {
    construct();
  } catch (...) {
    take_failed_moves(object, sizeof(T), before);
    end_construction();
    throw;
  }
  if (failures_of_thread.noted != before) [[unlikely]] {
    if (take_failed_moves(object, sizeof(T), before)) {
      std::destroy_at(object);
      end_construction();
      throw_last_failure();
    }
  }
  end_construction();
}

}  // namespace perdure::detail
