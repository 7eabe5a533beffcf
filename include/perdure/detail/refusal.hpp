// Messages of the compiler for types that cannot live in a store: the reason as the text of the error, and
// the member that it is about as an argument of the template that is named in the error or in a note to it.
#pragma once

#include <cstddef>
#include <limits>
#include <perdure/detail/refused_member.hpp>
#include <perdure/persistable.hpp>
#include <string_view>
#include <type_traits>

namespace perdure::detail {

/// A path, or a piece of one, as a template argument, for compilers to print.
template <std::size_t Size>
struct member_path {
  char characters[Size];
};

/// Writes the characters one by one, the last zero too: else clang prints them as numbers.
template <std::size_t Size>
consteval member_path<Size + 1> to_path(std::string_view text) {
  member_path<Size + 1> path{};
  for (std::size_t i = 0; i != Size; ++i) path.characters[i] = text[i];
  path.characters[Size] = '\0';
  return path;
}

#ifdef __clang__
inline constexpr std::size_t longest_printed_path = 36;
#else
inline constexpr std::size_t longest_printed_path = std::numeric_limits<std::size_t>::max();
#endif

/// Returns where the last piece begins: at a dot or bracket, if there is one.
constexpr std::size_t begin_of_last_piece(std::string_view path) {
  if (path.size() <= longest_printed_path) return 0;
  const std::size_t first = path.size() - longest_printed_path;
  const std::size_t mark = path.find_first_of(".[", first);
  return mark == std::string_view::npos ? first : mark;
}

struct accepted_type {
  static constexpr bool accepted = true;
};
template <obstacle Found, standard_container Container, member_path... Path>
struct refused_type {
  static constexpr bool accepted = false;
};

/// Divides the path into pieces that the compiler prints whole.
template <obstacle Found, standard_container Container, member_path Path, std::size_t End,
          member_path... Behind>
consteval auto refused_at() {
  constexpr std::string_view rest(Path.characters, End);
  constexpr std::size_t begin = begin_of_last_piece(rest);
  constexpr auto piece = to_path<End - begin>(rest.substr(begin));
  if constexpr (begin == 0) {
    return refused_type<Found, Container, piece, Behind...>();
  } else {
    return refused_at<Found, Container, Path, begin, piece, Behind...>();
  }
}

template <class T, obstacle Found>
consteval auto refused_whole() {
  constexpr std::size_t size = unqualified_name<T>().size();
  return refused_at<Found, standard_container::none, to_path<size>(unqualified_name<T>()), size>();
}

/// Returns an `accepted_type` or a `refused_type`.
template <class T, class Placement>
consteval auto judge_object() {
  if constexpr (!std::is_object_v<T> || std::is_array_v<T> || std::is_const_v<T> || std::is_volatile_v<T>) {
    return refused_whole<T, obstacle::no_object_type>();
  } else if constexpr (takes_any_type<Placement>) {
    return accepted_type();
  } else if constexpr (!std::is_nothrow_destructible_v<T>) {
    return refused_whole<T, obstacle::throwing_destructor>();
  } else if constexpr (find_obstacle<T, Placement>() == obstacle::none) {
    return accepted_type();
  } else {
    constexpr refused_member member = find_refused_member<T, Placement>(path_text(unqualified_name<T>()));
    constexpr std::size_t size = member.path.view().size();
    return refused_at<member.found, member.container, to_path<size>(member.path.view()), size>();
  }
}

template <class T, class Placement>
using object_verdict = decltype(judge_object<T, Placement>());

/// Never true.
template <member_path... Path>
inline constexpr bool can_live_in_a_store = false;

template <class T>
consteval void require_accepted(accepted_type) {}

/// Fails to compile, saying why.
template <class T, obstacle Found, standard_container Container, member_path... Path>
  requires(Container != standard_container::none)
consteval void require_accepted(refused_type<Found, Container, Path...>) {
  using enum standard_container;
  if constexpr (Container == string) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::string keeps its text outside the store: use perdure::string");
  } else if constexpr (Container == basic_string) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::basic_string keeps its text outside the store: use perdure::basic_string");
  } else if constexpr (Container == vector) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::vector keeps its elements outside the store: use perdure::vector");
  } else if constexpr (Container == deque) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::deque keeps its elements outside the store: use perdure::deque");
  } else if constexpr (Container == list) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::list keeps its elements outside the store: use perdure::list");
  } else if constexpr (Container == forward_list) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::forward_list keeps its elements outside the store: use perdure::forward_list");
  } else if constexpr (Container == map) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::map keeps its elements outside the store: use perdure::map, or perdure::flat_map");
  } else if constexpr (Container == multimap) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::multimap keeps its elements outside the store: use perdure::multimap");
  } else if constexpr (Container == set) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::set keeps its elements outside the store: use perdure::set, or perdure::flat_set");
  } else if constexpr (Container == multiset) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::multiset keeps its elements outside the store: use perdure::multiset");
  } else if constexpr (Container == unordered_map) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::unordered_map keeps its elements outside the store: use perdure::flat_map, or "
                  "perdure::unordered_map");
  } else if constexpr (Container == unordered_multimap) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::unordered_multimap keeps its elements outside the store: use "
                  "perdure::unordered_multimap");
  } else if constexpr (Container == unordered_set) {
    static_assert(can_live_in_a_store<Path...>,
                  "std::unordered_set keeps its elements outside the store: use perdure::flat_set, or "
                  "perdure::unordered_set");
  } else {
    static_assert(Container == unordered_multiset && can_live_in_a_store<Path...>,
                  "std::unordered_multiset keeps its elements outside the store: use "
                  "perdure::unordered_multiset");
  }
}
template <class T, obstacle Found, member_path... Path>
consteval void require_accepted(refused_type<Found, standard_container::none, Path...>) {
  if constexpr (Found == obstacle::no_object_type) {
    static_assert(can_live_in_a_store<Path...>,
                  "construct takes a plain object type; write construct<T>(name)[n](...) for an array");
  } else if constexpr (Found == obstacle::throwing_destructor) {
    static_assert(can_live_in_a_store<Path...>,
                  "an object in a store must have a destructor that does not throw");
  } else if constexpr (Found == obstacle::refused) {
    static_assert(can_live_in_a_store<Path...>,
                  "this type was declared unfit for a store by enable_persistable: use another, or keep it "
                  "outside the store");
  } else if constexpr (Found == obstacle::polymorphic) {
    static_assert(
        can_live_in_a_store<Path...>,
        "a type with virtual functions cannot live in a store: its hidden table pointer is only valid in "
        "the process that built it; use a std::variant of types without virtual functions");
  } else if constexpr (Found == obstacle::raw_pointer) {
    static_assert(can_live_in_a_store<Path...>,
                  "a plain pointer cannot live in a relocatable store, which is mapped at another address "
                  "next time: use perdure::offset_ptr, or a pinned_manager");
  } else if constexpr (Found == obstacle::reference) {
    static_assert(can_live_in_a_store<Path...>,
                  "a reference cannot live in a relocatable store, which is mapped at another address next "
                  "time: use perdure::offset_ptr, or a pinned_manager");
  } else if constexpr (Found == obstacle::member_pointer) {
    static_assert(can_live_in_a_store<Path...>,
                  "a pointer to member cannot live in a store: its value depends on the program that made "
                  "it; use an enumeration");
  } else if constexpr (Found == obstacle::function_pointer) {
    static_assert(can_live_in_a_store<Path...>,
                  "a pointer to a function cannot live in a store: code is at another address in the next "
                  "run; use an enumeration, and choose the function by it");
  } else if constexpr (Found == obstacle::raw_pointer_container) {
    static_assert(
        can_live_in_a_store<Path...>,
        "a container that keeps plain pointers cannot live in a relocatable store: use perdure::vector, "
        "string, flat_map and their kind, or a container with perdure::allocator, or a pinned_manager");
  } else if constexpr (Found == obstacle::plain_links) {
    static_assert(
        can_live_in_a_store<Path...>,
        "this container of the standard library keeps plain pointers whatever its allocator, so it cannot "
        "live in a relocatable store: use the one of the same name in perdure/container/, or a "
        "pinned_manager");
  } else if constexpr (Found == obstacle::foreign_allocator) {
    static_assert(
        can_live_in_a_store<Path...>,
        "this container allocates outside the store: give containers and strings of the standard library "
        "perdure::pinned_allocator, as in std::vector<T, perdure::pinned_allocator<T>>, from "
        "manager::get_allocator");
  } else if constexpr (Found == obstacle::smart_pointer) {
    static_assert(can_live_in_a_store<Path...>,
                  "a smart pointer cannot live in a store: what it points to is outside; use "
                  "perdure::offset_ptr and construct<T>(anonymous_instance)");
  } else if constexpr (Found == obstacle::callable_wrapper) {
    static_assert(
        can_live_in_a_store<Path...>,
        "a std::function cannot live in a store: the code it calls is at another address in the next run; "
        "use an enumeration, and choose the function by it");
  } else if constexpr (Found == obstacle::system_object) {
    static_assert(
        can_live_in_a_store<Path...>,
        "a mutex, lock, condition variable or thread cannot live in a store: it belongs to the running "
        "process; keep it outside, beside the manager");
  } else if constexpr (Found == obstacle::view) {
    static_assert(
        can_live_in_a_store<Path...>,
        "a view (std::string_view, std::span) cannot live in a relocatable store, as what it shows is "
        "elsewhere next time: use perdure::string or perdure::vector, or a pinned_manager");
  } else if constexpr (Found == obstacle::any) {
    static_assert(
        can_live_in_a_store<Path...>,
        "a std::any cannot live in a store: what it holds is outside, and the code that knows its type is "
        "at another address in the next run; use std::variant (if it is another type that takes any "
        "argument, vouch for the class around it with enable_persistable)");
  } else if constexpr (Found == obstacle::path) {
    static_assert(
        can_live_in_a_store<Path...>,
        "a std::filesystem::path cannot live in a store, as its text is outside: use perdure::string");
  } else if constexpr (Found == obstacle::regular_expression) {
    static_assert(can_live_in_a_store<Path...>,
                  "a std::basic_regex cannot live in a store, as what it was compiled to is outside: keep "
                  "its pattern in a perdure::string");
  } else if constexpr (Found == obstacle::error_category) {
    static_assert(can_live_in_a_store<Path...>,
                  "a std::error_code cannot live in a store, as its category is at another address in the "
                  "next run: keep its value()");
  } else {
    static_assert(Found == obstacle::shared_state && can_live_in_a_store<Path...>,
                  "a future, promise or exception_ptr cannot live in a store: what it refers to belongs to "
                  "the running process; keep its value, or the exception's text");
  }
}

}  // namespace perdure::detail
