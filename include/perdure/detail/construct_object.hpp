// Constructs one object in place, passing the store's allocator to types that take one.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace perdure::detail {

template <class A>
concept allocator_like = requires(A& a) {
  typename A::value_type;
  a.allocate(1);
};

template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

/// The caller already says which allocator to use.
template <class... Args>
inline constexpr bool carries_allocator =
    ((allocator_like<std::remove_cvref_t<Args>> ||
      std::is_same_v<std::remove_cvref_t<Args>, std::allocator_arg_t>) ||
     ...);

/// Uses-allocator construction applies: `T` takes an allocator of ours before or after these arguments.
template <class T, class Allocator, class... Args>
inline constexpr bool takes_allocator =
    std::uses_allocator_v<T, Allocator> &&
    (std::is_constructible_v<T, std::allocator_arg_t, const Allocator&, Args...> ||
     std::is_constructible_v<T, Args..., const Allocator&>);

/// Builds a `T` from the arguments: with `allocator` too if `T` is allocator-aware (and so for the halves of
/// a pair) and the arguments hold none; aggregates member by member.
template <class T, class Allocator, class... Args>
void construct_object(void* where, const Allocator& allocator, Args&&... args) {
  T* const object = static_cast<T*>(where);
  if constexpr (carries_allocator<Args...> && std::is_constructible_v<T, Args...>) {
    std::construct_at(object, std::forward<Args>(args)...);
  } else if constexpr (takes_allocator<T, Allocator, Args...> || (is_pair<T> && sizeof...(Args) <= 3)) {
    std::uninitialized_construct_using_allocator(object, allocator, std::forward<Args>(args)...);
  } else if constexpr (std::is_constructible_v<T, Args...>) {
    std::construct_at(object, std::forward<Args>(args)...);
  } else {
    ::new (where) T{std::forward<Args>(args)...};
  }
}

}  // namespace perdure::detail
