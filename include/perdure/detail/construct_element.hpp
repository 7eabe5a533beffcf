// How Perdure's allocators construct a container's element: with themselves, if the element takes them.
#pragma once

#include <memory>
#include <new>
#include <perdure/cxx20.hpp>
#include <perdure/detail/failed_move.hpp>
#include <perdure/relocation.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

// Boost.Container's maps keep their elements as pairs of their own, and mark try_emplace by a tag before key
// and arguments.
namespace boost::container {
struct try_emplace_t;
namespace dtl {
template <class A, class B>
struct pair;
}
}  // namespace boost::container

namespace perdure::detail {

template <class T>
struct pair_halves {
  static constexpr bool known = false;
};
template <class A, class B>
struct pair_halves<std::pair<A, B>> {
  static constexpr bool known = true;
  using first = std::remove_cv_t<A>;
  using second = std::remove_cv_t<B>;
};
template <class A, class B>
struct pair_halves<boost::container::dtl::pair<A, B>> : pair_halves<std::pair<A, B>> {};

/// Whether uses-allocator construction makes a difference for `T`: it, or a half of a pair, takes one.
template <class T, class Allocator>
constexpr bool takes_allocator_somewhere() {
  if constexpr (pair_halves<T>::known) {
    return takes_allocator_somewhere<typename pair_halves<T>::first, Allocator>() ||
           takes_allocator_somewhere<typename pair_halves<T>::second, Allocator>();
  } else {
    return std::uses_allocator_v<T, Allocator>;
  }
}

template <class... Args>
inline constexpr bool try_emplace_tagged = false;
template <class First, class... Args>
inline constexpr bool try_emplace_tagged<First, Args...> =
    std::is_same_v<std::remove_cvref_t<First>, boost::container::try_emplace_t>;
template <class... Args>
inline constexpr bool piecewise_tagged = false;
template <class First, class... Args>
inline constexpr bool piecewise_tagged<First, Args...> =
    std::is_same_v<std::remove_cvref_t<First>, std::piecewise_construct_t>;

template <class T, class Allocator, class... Args>
constexpr auto arguments_with(const Allocator& alloc, Args&&... args);

template <class Pair, class Allocator, class FirstArgs, class SecondArgs>
constexpr auto piecewise_arguments(const Allocator& alloc, FirstArgs&& first, SecondArgs&& second) {
  const auto extend = [&alloc]<class Half>(std::type_identity<Half>, auto&& half_args) {
    return std::apply(
        [&alloc]<class... Args>(Args&&... args) {
          return arguments_with<Half>(alloc, std::forward<Args>(args)...);
        },
        std::forward<decltype(half_args)>(half_args));
  };
  return std::make_tuple(
      std::piecewise_construct,
      extend(std::type_identity<typename pair_halves<Pair>::first>{}, std::forward<FirstArgs>(first)),
      extend(std::type_identity<typename pair_halves<Pair>::second>{}, std::forward<SecondArgs>(second)));
}

template <class Pair, class Allocator, class Tag, class Key, class... Args>
constexpr auto try_emplace_arguments(const Allocator& alloc, Tag&&, Key&& key, Args&&... args) {
  return piecewise_arguments<Pair>(alloc, std::forward_as_tuple(std::forward<Key>(key)),
                                   std::forward_as_tuple(std::forward<Args>(args)...));
}
template <class Pair, class Allocator, class Tag, class FirstArgs, class SecondArgs>
constexpr auto pair_arguments(const Allocator& alloc, Tag&&, FirstArgs&& first, SecondArgs&& second) {
  return piecewise_arguments<Pair>(alloc, std::forward<FirstArgs>(first), std::forward<SecondArgs>(second));
}
template <class Pair, class Allocator>
constexpr auto pair_arguments(const Allocator& alloc) {
  return piecewise_arguments<Pair>(alloc, std::tuple<>(), std::tuple<>());
}
template <class Pair, class Allocator, class U, class V>
constexpr auto pair_arguments(const Allocator& alloc, U&& first, V&& second) {
  return piecewise_arguments<Pair>(alloc, std::forward_as_tuple(std::forward<U>(first)),
                                   std::forward_as_tuple(std::forward<V>(second)));
}
template <class Pair, class Allocator, class Other>
constexpr auto pair_arguments(const Allocator& alloc, Other&& other) {
  return piecewise_arguments<Pair>(alloc, std::forward_as_tuple(std::forward<Other>(other).first),
                                   std::forward_as_tuple(std::forward<Other>(other).second));
}

/// The arguments that construct a `T`, as a tuple of references: with the allocator where `T` takes it
/// together with these, else unchanged, since they may hold an allocator already.
template <class T, class Allocator, class... Args>
constexpr auto arguments_with(const Allocator& alloc, Args&&... args) {
  if constexpr (pair_halves<T>::known && try_emplace_tagged<Args...>) {
    return try_emplace_arguments<T>(alloc, std::forward<Args>(args)...);
  } else if constexpr (!takes_allocator_somewhere<T, Allocator>()) {
    return std::tuple<Args&&...>(std::forward<Args>(args)...);
  } else if constexpr (pair_halves<T>::known) {
    static_assert(sizeof...(Args) < 3 || piecewise_tagged<Args...>, "not the arguments of a pair");
    return pair_arguments<T>(alloc, std::forward<Args>(args)...);
  } else if constexpr (std::is_constructible_v<T, std::allocator_arg_t, const Allocator&, Args...>) {
    return std::tuple<std::allocator_arg_t, const Allocator&, Args&&...>(std::allocator_arg, alloc,
                                                                         std::forward<Args>(args)...);
  } else if constexpr (std::is_constructible_v<T, Args..., const Allocator&>) {
    return std::tuple<Args&&..., const Allocator&>(std::forward<Args>(args)..., alloc);
  } else {
    return std::tuple<Args&&...>(std::forward<Args>(args)...);
  }
}

/// Whether the construction of a `T` throws whatever fails in it, as no container in it is moved by itself:
/// containers that take the allocator, and what holds none.
template <class T, class Allocator>
consteval bool throws_its_failures() {
  if constexpr (pair_halves<T>::known) {
    return throws_its_failures<typename pair_halves<T>::first, Allocator>() &&
           throws_its_failures<typename pair_halves<T>::second, Allocator>();
  } else {
    return is_trivially_relocatable_v<T> ||
           (std::uses_allocator_v<T, Allocator> && requires { typename T::value_type; });
  }
}

/// Constructs an object whose parts may have been moved to where there is no room for them.
template <class T, class Allocator, class Construct>
void construct_checked(T* object, Construct construct) {
  if constexpr (throws_its_failures<T, Allocator>()) {
    construct();
  } else {
    construct_whole(object, construct);
  }
}

/// Uses-allocator construction where the element and the arguments allow it, plain construction otherwise:
/// containers construct nodes and other things of theirs through the same door.
template <class T, class Allocator, class... Args>
inline void construct_element(T* p, const Allocator& alloc, Args&&... args) {
  using object = std::remove_cv_t<T>;
  void* const where = const_cast<void*>(static_cast<const volatile void*>(p));
  construct_checked<object, Allocator>(static_cast<object*>(where), [&] {
    if constexpr (takes_allocator_somewhere<object, Allocator>() || try_emplace_tagged<Args...>) {
      std::apply([where]<class... All>(All&&... all) { ::new (where) object(std::forward<All>(all)...); },
                 arguments_with<object>(alloc, std::forward<Args>(args)...));
    } else {
      ::new (where) object(std::forward<Args>(args)...);
    }
  });
}

}  // namespace perdure::detail
