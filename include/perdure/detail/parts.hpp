// The types that a type holds by value, where its template arguments show them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <perdure/detail/boost_types.hpp>
#include <tuple>
#include <utility>
#include <variant>

namespace perdure::detail {

template <class... Parts>
struct part_list {};

/// The types that a vocabulary type of the standard or of Boost holds.
template <class T>
struct parts_of {
  static constexpr bool known = false;
};
template <class... Parts>
struct known_parts {
  static constexpr bool known = true;
  using list = part_list<Parts...>;
};
template <class A, class B>
struct parts_of<std::pair<A, B>> : known_parts<A, B> {};
template <class... Ts>
struct parts_of<std::tuple<Ts...>> : known_parts<Ts...> {};
template <class... Ts>
struct parts_of<std::variant<Ts...>> : known_parts<Ts...> {};
template <class T>
struct parts_of<std::optional<T>> : known_parts<T> {};
template <class T, std::size_t N>
struct parts_of<std::array<T, N>> : known_parts<T> {};
template <class T>
struct parts_of<std::atomic<T>> : known_parts<T> {};

template <class T>
struct parts_of<boost::optional<T>> : known_parts<T> {};
template <class... Ts>
struct parts_of<boost::variant2::variant<Ts...>> : known_parts<Ts...> {};
#ifndef BOOST_VARIANT_DO_NOT_USE_VARIADIC_TEMPLATES
template <class... Ts>
struct parts_of<boost::variant<Ts...>> : known_parts<Ts...> {};
#endif

/// The used ones among ten parts.
template <class Used, class... Rest>
struct tuple_parts;
template <class... Used>
struct tuple_parts<part_list<Used...>> : known_parts<Used...> {};
template <class... Used, class... Rest>
struct tuple_parts<part_list<Used...>, boost::tuples::null_type, Rest...> : known_parts<Used...> {};
template <class... Used, class T, class... Rest>
struct tuple_parts<part_list<Used...>, T, Rest...> : tuple_parts<part_list<Used..., T>, Rest...> {};
template <class... Ts>
struct parts_of<boost::tuples::tuple<Ts...>> : tuple_parts<part_list<>, Ts...> {};

template <class T>
concept has_allocator = requires { typename T::allocator_type; };

}  // namespace perdure::detail
