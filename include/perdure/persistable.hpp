// Which types can live in a store: a check at compile time (detail/refusal.hpp has the messages).
//
// The language offers no full reflection, so the check sees what it can: the type itself, the elements of
// arrays, pairs, tuples, optionals, variants and containers, and the members of aggregates. What hides
// behind a constructor, or is private, is the author's word. To overrule the check either way:
//
//     template <> inline constexpr bool perdure::enable_persistable<my_type> = true;
#pragma once

#include <any>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <perdure/detail/aggregate_members.hpp>
#include <perdure/detail/parts.hpp>
#include <perdure/detail/standard_containers.hpp>
#include <perdure/detail/type_layout.hpp>
#include <perdure/placement.hpp>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>

namespace perdure {

namespace detail {
struct judged_by_its_parts {};
}  // namespace detail

/// Specialise with a `bool` to overrule the check for one type.
template <class T>
inline constexpr detail::judged_by_its_parts enable_persistable{};

namespace detail {

/// Why a type cannot live in a store.
enum class obstacle {
  none,
  refused,
  polymorphic,
  raw_pointer,
  reference,
  member_pointer,
  function_pointer,
  raw_pointer_container,
  plain_links,
  foreign_allocator,
  smart_pointer,
  callable_wrapper,
  system_object,
  view,
  any,
  path,
  regular_expression,
  error_category,
  shared_state,
  last = shared_state,
  // Of the object itself only:
  no_object_type,
  throwing_destructor,
};

template <class T, class Placement, class... Seen>
consteval obstacle find_obstacle();

template <class Placement, class... Seen, template <class...> class List, class... Parts>
consteval obstacle judge_parts(List<Parts...>) {
  obstacle found = obstacle::none;
  (void)(((found = find_obstacle<Parts, Placement, Seen...>()) != obstacle::none) || ...);
  return found;
}

// `std::function` and `std::reference_wrapper` are known by their members: <functional> is a third of what a
// program that includes this would otherwise compile.
template <class T>
concept callable_wrapper_like = requires(const T& wrapper) {
  typename T::result_type;
  { wrapper.target_type() } -> std::same_as<const std::type_info&>;
};
template <class T>
concept reference_wrapper_like = requires(const T& wrapper) {
  typename T::type;
  { wrapper.get() } -> std::same_as<typename T::type&>;
} && sizeof(T) == sizeof(void*) && std::is_trivially_copyable_v<T>;

// For the same reason `std::filesystem::path`, `std::basic_regex`, and `std::error_code` with
// `std::error_condition`.
template <class T>
concept path_like = requires(const T& path) {
  typename T::format;
  { path.native() } -> std::same_as<const typename T::string_type&>;
  path.lexically_normal();
};
template <class T>
concept regular_expression_like = requires(const T& expression) {
  typename T::locale_type;
  { expression.flags() } -> std::same_as<typename T::flag_type>;
  expression.mark_count();
};
template <class T>
concept error_code_like = requires(const T& code) {
  { code.value() } -> std::same_as<int>;
  code.message();
} && std::is_polymorphic_v<std::remove_reference_t<decltype(std::declval<const T&>().category())>>;

/// Types of the standard library and of Boost that hold plain pointers or own memory outside the store.
template <class T>
struct standard_obstacle {
  static constexpr obstacle relocatable = obstacle::none;
  static constexpr obstacle pinned = obstacle::none;
};
template <obstacle Relocatable, obstacle Pinned>
struct standard_obstacles {
  static constexpr obstacle relocatable = Relocatable;
  static constexpr obstacle pinned = Pinned;
};
template <class T>
struct standard_obstacle<std::shared_ptr<T>>
    : standard_obstacles<obstacle::smart_pointer, obstacle::smart_pointer> {};
template <class T>
struct standard_obstacle<std::weak_ptr<T>>
    : standard_obstacles<obstacle::smart_pointer, obstacle::smart_pointer> {};
template <class T>
struct standard_obstacle<std::unique_ptr<T, std::default_delete<T>>>
    : standard_obstacles<obstacle::smart_pointer, obstacle::smart_pointer> {};
template <class T>
struct standard_obstacle<boost::recursive_wrapper<T>>
    : standard_obstacles<obstacle::smart_pointer, obstacle::smart_pointer> {};
template <class T, class D>
struct standard_obstacle<std::unique_ptr<T, D>>
    : standard_obstacles<std::is_pointer_v<typename std::unique_ptr<T, D>::pointer> ? obstacle::smart_pointer
                                                                                    : obstacle::none,
                         obstacle::none> {};
template <callable_wrapper_like T>
struct standard_obstacle<T> : standard_obstacles<obstacle::callable_wrapper, obstacle::callable_wrapper> {};
template <>
struct standard_obstacle<std::any> : standard_obstacles<obstacle::any, obstacle::any> {};
template <>
struct standard_obstacle<std::exception_ptr>
    : standard_obstacles<obstacle::shared_state, obstacle::shared_state> {};
template <refers_to_shared_state T>
struct standard_obstacle<T> : standard_obstacles<obstacle::shared_state, obstacle::shared_state> {};
template <path_like T>
struct standard_obstacle<T> : standard_obstacles<obstacle::path, obstacle::path> {};
template <regular_expression_like T>
struct standard_obstacle<T> : standard_obstacles<obstacle::regular_expression, obstacle::regular_expression> {
};
template <error_code_like T>
struct standard_obstacle<T> : standard_obstacles<obstacle::error_category, obstacle::error_category> {};
template <reference_wrapper_like T>
struct standard_obstacle<T>
    : standard_obstacles<obstacle::reference,
                         std::is_function_v<typename T::type> ? obstacle::function_pointer : obstacle::none> {
};
template <class C, class Traits>
struct standard_obstacle<std::basic_string_view<C, Traits>>
    : standard_obstacles<obstacle::view, obstacle::none> {};
template <class T, std::size_t N>
struct standard_obstacle<std::span<T, N>> : standard_obstacles<obstacle::view, obstacle::none> {};
template <class T>
struct standard_obstacle<std::initializer_list<T>> : standard_obstacles<obstacle::view, obstacle::none> {};

/// A placement may leave the check out with `static constexpr bool stores_any_type = true`: for programs that
/// keep in a store what only their present run will use.
template <class Placement>
inline constexpr bool takes_any_type = false;
template <class Placement>
  requires requires { Placement::stores_any_type; }
inline constexpr bool takes_any_type<Placement> = Placement::stores_any_type;

/// Like the value above with `stores_locks`: mutexes that are free whenever the store is checkpointed hold
/// nothing of the process, on Linux.
template <class Placement>
inline constexpr bool takes_locks = false;
template <class Placement>
  requires requires { Placement::stores_locks; }
inline constexpr bool takes_locks<Placement> = Placement::stores_locks;

template <class A>
concept allocates_in_a_store = requires(const A& a) {
  { a.memory() } -> std::convertible_to<heap*>;
};

/// Mutexes, condition variables and threads name what the system gave them; locks name their mutex.
template <class T>
concept holds_system_object =
    requires { typename T::native_handle_type; } || requires { typename T::mutex_type; };

template <class T>
concept has_elements = has_allocator<T> && requires { typename T::value_type; };

/// `std::stack` and its kind.
template <class T>
concept adapts_a_container = requires { typename T::container_type; };

/// Returns why a container cannot live in a store, whatever its elements.
template <class T, class Placement>
consteval obstacle container_obstacle() {
  using container_allocator = typename T::allocator_type;
  if constexpr (std::is_pointer_v<typename std::allocator_traits<container_allocator>::pointer>) {
    if constexpr (!Placement::fixed_address) return obstacle::raw_pointer_container;
    if constexpr (!allocates_in_a_store<container_allocator>) return obstacle::foreign_allocator;
  } else if constexpr (keeps_plain_links<T>) {
    return obstacle::plain_links;
  }
  return obstacle::none;
}

// Members of an aggregate are examined one by one through aggregate initialisation: `T{any, any, probe}`
// is well-formed just when the third member can be initialised from `probe`, and a probe converts only to
// the types asked about. Unlike counting members for a structured binding this cannot end in an error.

/// Only a reference to a constant can take this: of what a member holds by value, also of a constant, the
/// type that is asked for is without const.
template <class Aggregate>
struct any_constant {
  template <member_candidate<Aggregate> U>
    requires(std::is_const_v<U>)
  operator U&() const {
    __builtin_unreachable();
  }
};
template <class Placement, class Aggregate, class... Seen>
struct unfit_member {
  template <member_candidate<Aggregate> U>
    requires(find_obstacle<U, Placement, Seen...>() != obstacle::none)
  operator U() const {
    __builtin_unreachable();
  }
};
template <obstacle Reason, class Placement, class Aggregate, class... Seen>
struct member_with_obstacle {
  template <member_candidate<Aggregate> U>
    requires(find_obstacle<U, Placement, Seen...>() == Reason)
  operator U() const {
    __builtin_unreachable();
  }
};

template <class T, class Placement, class... Seen>
struct aggregate_judge {
  using braces = aggregate_braces<T>;

  /// Asked of a member that is not constructible from anything.
  template <std::size_t Index, std::size_t Count>
  static consteval bool is_reference() {
    using before = std::make_index_sequence<Index>;
    using after = std::make_index_sequence<Count - 1 - Index>;
    return !braces::template accepts<any_value<T>>(before{}, after{}) ||
           braces::template accepts<any_constant<T>>(before{}, after{});
  }

  template <std::size_t Index, std::size_t Count>
  static consteval obstacle judge_member() {
    using before = std::make_index_sequence<Index>;
    using after = std::make_index_sequence<Count - 1 - Index>;
    if constexpr (braces::template accepts<fits_nothing>(before{}, after{})) {
      return obstacle::any;
    } else if constexpr (braces::template accepts<unfit_member<Placement, T, Seen...>>(before{}, after{})) {
      obstacle found = obstacle::raw_pointer;
      auto test = [&]<obstacle Reason>(std::integral_constant<obstacle, Reason>) {
        if (braces::template accepts<member_with_obstacle<Reason, Placement, T, Seen...>>(before{}, after{}))
          found = Reason;
      };
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (test(std::integral_constant<obstacle, static_cast<obstacle>(I + 1)>{}), ...);
      }(std::make_index_sequence<static_cast<std::size_t>(obstacle::last)>{});
      return found;
    } else if constexpr (!Placement::fixed_address && is_reference<Index, Count>()) {
      return obstacle::reference;
    } else {
      return obstacle::none;
    }
  }

  static consteval obstacle judge() {
    constexpr std::size_t count = braces::initialisers();
    constexpr obstacle probed = []<std::size_t... I>(std::index_sequence<I...>) {
      obstacle found = obstacle::none;
      (void)(((found = judge_member<I, count>()) != obstacle::none) || ...);
      return found;
    }(std::make_index_sequence<count>{});
    if constexpr (probed == obstacle::none && looked_into<T>) {
      // No probe tells of a member to which several conversions lead. Its type does, but for references.
      return judge_parts<Placement, Seen...>(aggregate_members<T>::types());
    } else {
      return probed;
    }
  }
};

template <class T>
concept judged_by_its_author = std::is_same_v<std::remove_cv_t<decltype(enable_persistable<T>)>, bool>;

/// Returns why a type cannot live in a store, whatever it holds. `T` has no `const`.
template <class T, class Placement>
consteval obstacle obstacle_of_itself() {
  if constexpr (judged_by_its_author<T>) {
    return enable_persistable<T> ? obstacle::none : obstacle::refused;
  } else if constexpr (std::is_reference_v<T>) {
    return Placement::fixed_address ? obstacle::none : obstacle::reference;
  } else if constexpr (std::is_function_v<std::remove_pointer_t<T>>) {
    return obstacle::function_pointer;
  } else if constexpr (std::is_pointer_v<T>) {
    return Placement::fixed_address ? obstacle::none : obstacle::raw_pointer;
  } else if constexpr (std::is_member_pointer_v<T>) {
    return obstacle::member_pointer;
  } else if constexpr (!std::is_class_v<T> && !std::is_union_v<T>) {
    return obstacle::none;
  } else if constexpr (std::is_polymorphic_v<T>) {
    return obstacle::polymorphic;
  } else if constexpr (parts_of<T>::known) {
    return obstacle::none;
  } else if constexpr (holds_system_object<T>) {
    return takes_locks<Placement> ? obstacle::none : obstacle::system_object;
  } else if constexpr (lists_its_members<T>) {
    return obstacle::none;
  } else if constexpr (has_allocator<T>) {
    return container_obstacle<T, Placement>();
  } else {
    return Placement::fixed_address ? standard_obstacle<T>::pinned : standard_obstacle<T>::relocatable;
  }
}

/// `Seen` are the types under examination around this one: a type that reaches itself through its own
/// containers is judged by its other parts.
template <class T, class Placement, class... Seen>
consteval obstacle find_obstacle() {
  using type = std::remove_cv_t<T>;
  if constexpr ((std::is_same_v<type, Seen> || ...)) {
    return obstacle::none;
  } else if constexpr (obstacle_of_itself<type, Placement>() != obstacle::none) {
    return obstacle_of_itself<type, Placement>();
  } else if constexpr (judged_by_its_author<type>) {
    return obstacle::none;
  } else if constexpr (std::is_array_v<type>) {
    return find_obstacle<std::remove_all_extents_t<type>, Placement, Seen...>();
  } else if constexpr (!std::is_class_v<type> && !std::is_union_v<type>) {
    return obstacle::none;
  } else if constexpr (parts_of<type>::known) {
    return judge_parts<Placement, Seen...>(typename parts_of<type>::list{});
  } else if constexpr (holds_system_object<type>) {
    return obstacle::none;
  } else if constexpr (lists_its_members<type>) {
    return judge_parts<Placement, Seen..., type>(typename members_in<decltype(told_form<type>())>::list{});
  } else if constexpr (has_elements<type>) {
    return find_obstacle<typename type::value_type, Placement, Seen..., type>();
  } else if constexpr (adapts_a_container<type>) {
    return find_obstacle<typename type::container_type, Placement, Seen..., type>();
  } else if constexpr (std::is_aggregate_v<type> && !has_allocator<type>) {
    return aggregate_judge<type, Placement, Seen..., type>::judge();
  } else {
    return obstacle::none;
  }
}

}  // namespace detail

/// A type that can live in a store of this placement, as far as the language lets us see.
template <class T, class Placement = relocatable>
concept persistable = detail::find_obstacle<T, Placement>() == detail::obstacle::none;

}  // namespace perdure
