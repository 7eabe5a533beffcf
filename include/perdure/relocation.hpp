// Relocation: moving an object to another address and ending its life at the old one, in one step.
//
// Containers relocate their elements when they grow or shift. For most types that is a copy of bytes. A
// type that stores the distance from itself to something else (an offset pointer, a Perdure container) must
// not be copied bytewise, because the distance changes; but it needs no more than that distance adjusted:
// no allocation, no branch, no destructor. `relocator` says how.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <perdure/cxx20.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace perdure {

/// True for types whose objects may be moved to another address by copying their bytes, the old bytes then
/// being forgotten. Specialise it (derive from `std::true_type`) for a type of your own that owns what it
/// points to and holds no pointer or offset into or relative to itself.
template <class T>
struct is_trivially_relocatable : std::is_trivially_copyable<T> {};
template <class T>
struct is_trivially_relocatable<const T> : is_trivially_relocatable<T> {};
template <class T, class D>
struct is_trivially_relocatable<std::unique_ptr<T, D>>
    : std::bool_constant<std::is_pointer_v<typename std::unique_ptr<T, D>::pointer> &&
                         (std::is_empty_v<D> || is_trivially_relocatable<D>::value)> {};
template <class A, class B>
struct is_trivially_relocatable<std::pair<A, B>>
    : std::bool_constant<is_trivially_relocatable<A>::value && is_trivially_relocatable<B>::value> {};
template <class... Ts>
struct is_trivially_relocatable<std::tuple<Ts...>>
    : std::bool_constant<(is_trivially_relocatable<Ts>::value && ...)> {};
template <class T, std::size_t N>
struct is_trivially_relocatable<std::array<T, N>> : is_trivially_relocatable<T> {};

/// Whether objects of the type may be moved by copying their bytes.
template <class T>
inline constexpr bool is_trivially_relocatable_v = is_trivially_relocatable<T>::value;

/// Customisation point for types that are cheaper to relocate than to move-construct and destroy.
/// A specialisation has `static void relocate(T* to, T* from) noexcept`: `to` is raw memory, afterwards it
/// holds the object and `from` is raw memory. It is not inherited by derived classes.
template <class T>
struct relocator;

namespace detail {
template <class T>
concept has_relocator = requires(T* p) {
  { relocator<T>::relocate(p, p) } noexcept;
};

/// Whether containers can relocate objects of this type without fear of an exception.
template <class T>
inline constexpr bool relocates_nothrow_v =
    is_trivially_relocatable_v<T> || has_relocator<T> || std::is_nothrow_move_constructible_v<T>;

template <class T>
inline void relocate_at(T* to, T* from) noexcept {
  using object = std::remove_cv_t<T>;
  auto* target = const_cast<object*>(to);
  auto* source = const_cast<object*>(from);
  if constexpr (is_trivially_relocatable_v<object>) {
    std::memcpy(static_cast<void*>(target), static_cast<const void*>(source), sizeof(object));
  } else if constexpr (has_relocator<object>) {
    relocator<object>::relocate(target, source);
  } else {
    static_assert(std::is_nothrow_move_constructible_v<object>);
    ::new (static_cast<void*>(target)) object(std::move(*source));
    source->~object();
  }
}

/// Relocates `n` objects; the two ranges do not overlap.
template <class T>
inline void relocate_n(T* to, T* from, std::size_t n) noexcept {
  if constexpr (is_trivially_relocatable_v<T>) {
    if (n != 0) std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), n * sizeof(T));
  } else {
    for (; n != 0; --n) relocate_at(to++, from++);
  }
}

/// Relocates `n` objects towards lower addresses; the ranges may overlap.
template <class T>
inline void relocate_down(T* to, T* from, std::size_t n) noexcept {
  if constexpr (is_trivially_relocatable_v<T>) {
    if (n != 0) std::memmove(static_cast<void*>(to), static_cast<const void*>(from), n * sizeof(T));
  } else {
    for (; n != 0; --n) relocate_at(to++, from++);
  }
}

/// Relocates `n` objects towards higher addresses; the ranges may overlap.
template <class T>
inline void relocate_up(T* to, T* from, std::size_t n) noexcept {
  if constexpr (is_trivially_relocatable_v<T>) {
    if (n != 0) std::memmove(static_cast<void*>(to), static_cast<const void*>(from), n * sizeof(T));
  } else {
    for (; n != 0; --n) relocate_at(to + (n - 1), from + (n - 1));
  }
}
}  // namespace detail

/// Members are relocated one by one, which also moves the const key of a map's element.
template <class A, class B>
  requires(detail::relocates_nothrow_v<std::remove_cv_t<A>> &&
           detail::relocates_nothrow_v<std::remove_cv_t<B>> && !std::is_reference_v<A> &&
           !std::is_reference_v<B>)
struct relocator<std::pair<A, B>> {
  /// Moves `from` to raw memory at `to`, and ends its life.
  static void relocate(std::pair<A, B>* to, std::pair<A, B>* from) noexcept {
    detail::relocate_at(std::addressof(to->first), std::addressof(from->first));
    detail::relocate_at(std::addressof(to->second), std::addressof(from->second));
  }
};

/// Elements are relocated one by one, or all at once where their type is trivially relocatable.
template <class T, std::size_t N>
  requires detail::relocates_nothrow_v<T>
struct relocator<std::array<T, N>> {
  /// Moves `from` to raw memory at `to`, and ends its life.
  static void relocate(std::array<T, N>* to, std::array<T, N>* from) noexcept {
    detail::relocate_n(to->data(), from->data(), N);
  }
};

/// Moves an object to raw memory at `to` and ends its life at `from`. For authors of their own containers.
template <class T>
  requires detail::relocates_nothrow_v<T>
inline void relocate_at(T* to, T* from) noexcept {
  detail::relocate_at(to, from);
}

}  // namespace perdure
