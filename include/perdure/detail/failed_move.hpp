// Moves that found no room.
//
// Move constructors must not throw: containers that grow, and the classes of users, count on it. But a
// container that is moved into a store from ordinary memory, or from another store, has to be copied, and the
// store may be full. It is empty then, and the failure is kept here until the constructor of the object
// around it has returned to Perdure, which destroys the object and throws the failure. Where no construction
// of Perdure's is around it (a placement new of the user's), the heap keeps count, and checkpoints refuse to
// commit.
#pragma once

#include <memory>

namespace perdure::detail {

/// How many moves of this thread have failed.
extern __thread unsigned failed_moves __attribute__((tls_model("initial-exec")));

/// For a handler of the exception, which it keeps.
void note_failed_move(const void* container) noexcept;

/// The failures of this thread since there were `before` concern nobody any more: the object is destroyed.
void forget_failed_moves(const void* object, unsigned before) noexcept;
/// The same, and throws the last of them.
[[noreturn]] void rethrow_failed_move(const void* object, unsigned before);

/// Around the construction of an object: if containers in it were moved and found no room it is destroyed,
/// and the failure thrown.
template <class T, class Construct>
void construct_whole(T* object, Construct construct) {
  const unsigned before = failed_moves;
  try {
    construct();
  } catch (...) {
    if (failed_moves != before) forget_failed_moves(object, before);
    throw;
  }
  if (failed_moves != before) [[unlikely]] {
    std::destroy_at(object);
    rethrow_failed_move(object, before);
  }
}

}  // namespace perdure::detail
