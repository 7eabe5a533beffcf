// What a container does when it is moved into a store and its memory cannot follow.
#pragma once

#include <perdure/detail/copyable.hpp>
#include <perdure/detail/failed_move.hpp>

namespace perdure::detail {

/// Fills an empty container, whose allocator is not the other's, with copies; elements that can only be moved
/// are moved. Where there is no room for them it stays empty, and whoever constructs the object around it
/// learns that (see failed_move.hpp).
template <class Container>
[[gnu::noinline]] void copy_moved(Container& to, Container& from) noexcept {
  try {
    Container copy(copied_if_possible(from), to.get_allocator());
    to.swap(copy);
    from.clear();
  } catch (...) {
    note_failed_move(&to);
  }
}

}  // namespace perdure::detail
