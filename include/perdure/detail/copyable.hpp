// Whether something can be copied with all that it holds: containers say that they can be whatever their
// elements.
#pragma once

#include <perdure/detail/parts.hpp>
#include <type_traits>

namespace perdure::detail {

template <class T>
consteval bool copies_whole();

template <class... Parts>
consteval bool copy_whole(part_list<Parts...>) {
  return (copies_whole<std::remove_cv_t<Parts>>() && ...);
}

template <class T>
consteval bool copies_whole() {
  if constexpr (!std::is_copy_constructible_v<T>) {
    return false;
  } else if constexpr (parts_of<T>::known) {
    return copy_whole(typename parts_of<T>::list{});
  } else if constexpr (requires { typename T::value_type; } && has_allocator<T>) {
    if constexpr (std::is_same_v<typename T::value_type, T>) {
      return true;
    } else {
      return copies_whole<std::remove_cv_t<typename T::value_type>>();
    }
  } else {
    return true;
  }
}

/// `container` itself to be copied from where its elements can be copied, else to be moved from: the choice
/// of what must not lose elements when an allocation fails.
template <class Container>
constexpr decltype(auto) copied_if_possible(Container& container) noexcept {
  if constexpr (copies_whole<typename Container::value_type>()) {
    return static_cast<const Container&>(container);
  } else {
    return static_cast<Container&&>(container);
  }
}

}  // namespace perdure::detail
