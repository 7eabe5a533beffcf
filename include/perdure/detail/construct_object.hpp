// Constructs one object of a manager in place, passing the store's allocator to types that take one.
#pragma once

#include <memory>
#include <new>
#include <perdure/detail/construct_element.hpp>
#include <type_traits>
#include <utility>

namespace perdure::detail {

template <class A>
concept allocator_like = requires(A& a) {
  typename A::value_type;
  a.allocate(1);
};

/// The caller already says which allocator to use.
template <class... Args>
inline constexpr bool carries_allocator =
    ((allocator_like<std::remove_cvref_t<Args>> ||
      std::is_same_v<std::remove_cvref_t<Args>, std::allocator_arg_t>) ||
     ...);

/// Builds a `T` from the arguments: with `allocator` too if `T` is allocator-aware (and so for the halves of
/// a pair) and the arguments hold none; aggregates member by member.
template <class T, class Allocator, class... Args>
void construct_object(void* where, const Allocator& allocator, Args&&... args) {
  // `construct_at`, being in a system header, keeps warnings of conversions out of the callers' builds.
  T* const object = static_cast<T*>(where);
  construct_checked<T, Allocator>(object, [&] {
    if constexpr (carries_allocator<Args...> && std::is_constructible_v<T, Args...>) {
      std::construct_at(object, std::forward<Args>(args)...);
    } else if constexpr (takes_allocator_somewhere<T, Allocator>()) {
      construct_element(object, allocator, std::forward<Args>(args)...);
    } else if constexpr (std::is_constructible_v<T, Args...>) {
      std::construct_at(object, std::forward<Args>(args)...);
    } else {
      ::new (where) T{std::forward<Args>(args)...};
    }
  });
}

}  // namespace perdure::detail
