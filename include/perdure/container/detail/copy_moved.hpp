// The move of a container into a store, where its memory cannot follow.
#pragma once

#include <perdure/detail/failed_move.hpp>
#include <perdure/error.hpp>
#include <type_traits>

namespace perdure::detail {

[[noreturn, gnu::cold]] inline void throw_elements_cannot_follow() {
  throw error(
      errc::unsupported,
      "a container was moved into a store whose elements can be neither moved nor copied, so they cannot "
      "follow it: construct it in the store");
}

/// Moves the elements one by one to an empty container whose allocator is not the other's; those with memory
/// of their own are copied thereby. Where there is no room for them it stays empty, and whoever constructs
/// the object around it learns that (see failed_move.hpp). What the other still holds goes with it, and is
/// there to be used again where the move has failed. `take` is given the container whose content `to` shall
/// have.
template <class Container, class Take>
[[gnu::noinline]] void copy_moved(Container& to, Container& from, Take take) noexcept {
  try {
    if constexpr (std::is_move_constructible_v<typename Container::value_type>) {
      Container copy(static_cast<Container&&>(from), to.get_allocator());
      take(copy);
    } else if (!from.empty()) {
      throw_elements_cannot_follow();
    }
  } catch (...) {
    note_failed_move(&to);
  }
}

}  // namespace perdure::detail
