// What a type holds by value, where its template arguments say so.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

namespace perdure::detail {

template <class... Parts>
struct part_list {};

/// The types a standard vocabulary type holds.
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
concept has_allocator = requires { typename T::allocator_type; };

}  // namespace perdure::detail
