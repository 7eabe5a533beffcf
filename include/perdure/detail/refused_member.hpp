// Which member keeps a type out of a store, as the path to it: `order.lines[].article.name`. Instantiated
// only for types that are refused.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <perdure/detail/aggregate_members.hpp>
#include <perdure/detail/parts.hpp>
#include <perdure/detail/type_layout.hpp>
#include <perdure/persistable.hpp>
#include <perdure/stored_form.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

namespace perdure::detail {

/// Containers of the standard library that Perdure has its own of.
enum class standard_container {
  none,
  string,
  basic_string,
  vector,
  deque,
  list,
  forward_list,
  map,
  multimap,
  set,
  multiset,
  unordered_map,
  unordered_multimap,
  unordered_set,
  unordered_multiset,
};
inline constexpr std::array<std::string_view, 15> names_of_standard_containers{"",
                                                                               "string",
                                                                               "basic_string",
                                                                               "vector",
                                                                               "deque",
                                                                               "list",
                                                                               "forward_list",
                                                                               "map",
                                                                               "multimap",
                                                                               "set",
                                                                               "multiset",
                                                                               "unordered_map",
                                                                               "unordered_multimap",
                                                                               "unordered_set",
                                                                               "unordered_multiset"};

/// Returns a type's name, and what the compiler writes behind it: g++ `…; std::string_view = …]`, clang `]`.
template <class T>
consteval std::string_view spelled_type() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  return text;
}

/// Returns `map` for `std::map<int, double>`.
template <class T>
consteval std::string_view unqualified_name() {
  const std::string_view text = spelled_type<T>();
  std::string_view word;
  std::size_t depth = 0;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && (c == ';' || c == ']')) break;
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (depth == 0 && is_identifier(c)) {
      const bool goes_on = i != 0 && is_identifier(text[i - 1]);
      word = goes_on ? text.substr(i - word.size(), word.size() + 1) : text.substr(i, 1);
    }
    if (depth != 0 && (c == '>' || c == ')' || c == '}' || c == ']')) --depth;
  }
  return word;
}

template <class T>
consteval standard_container standard_container_of() {
  if (!spelled_type<T>().starts_with("std::")) return standard_container::none;
  for (std::size_t i = 1; i != names_of_standard_containers.size(); ++i) {
    if (unqualified_name<T>() != names_of_standard_containers[i]) continue;
    const auto found = static_cast<standard_container>(i);
    return found == standard_container::basic_string && std::is_same_v<typename T::value_type, char>
               ? standard_container::string
               : found;
  }
  return standard_container::none;
}

/// The path to a member. One that is too long begins anew, with three dots. (Not a `std::string`: g++ 12
/// cannot join these in constant expressions.)
class path_text {
 public:
  constexpr path_text() = default;
  constexpr explicit path_text(std::string_view text) { add(text); }
  constexpr std::string_view view() const { return {characters_.data(), size_}; }
  constexpr path_text then(std::string_view before, std::string_view label = {}) const {
    path_text longer = *this;
    if (size_ + before.size() + label.size() > characters_.size()) longer = path_text("...");
    longer.add(before);
    longer.add(label);
    return longer;
  }
  constexpr path_text then(std::string_view before, std::size_t index, std::string_view after = {}) const {
    std::array<char, std::numeric_limits<std::size_t>::digits10 + 1> digits{};
    std::size_t first = digits.size();
    do {
      digits[--first] = static_cast<char>('0' + index % 10);
      index /= 10;
    } while (index != 0);
    return then(before, std::string_view(digits.data() + first, digits.size() - first)).then(after);
  }

 private:
  constexpr void add(std::string_view text) {
    for (const char c : text)
      if (size_ != characters_.size()) characters_[size_++] = c;
  }

  std::array<char, 1000> characters_{};
  std::size_t size_ = 0;
};

/// A member that keeps the type around it out of a store.
struct refused_member {
  obstacle found = obstacle::none;
  standard_container container = standard_container::none;  ///< one with an allocator that knows no store
  path_text path = {};
};

template <class List>
inline constexpr std::size_t part_count = 0;
template <class... Parts>
inline constexpr std::size_t part_count<part_list<Parts...>> = sizeof...(Parts);

template <class T, class Placement, class... Seen>
constexpr refused_member find_refused_member(const path_text& path);

/// Returns the path to a part that the type's template arguments name.
template <class T>
constexpr path_text path_to_part(const path_text& path, std::size_t index) {
  if constexpr (is_standard_array<T>) {
    return path.then("[]");
  } else if constexpr (pair_like<T>) {
    return path.then(index == 0 ? ".first" : ".second");
  } else {
    return path.then(".<", index, ">");
  }
}

/// Returns the path to a member of a class that lists its members. The names in a `stored_form` are made when
/// the program runs.
template <class T>
constexpr path_text path_to_listed(const path_text& path, std::size_t index) {
  if constexpr (names_its_members<T> && !has_stored_form<T>) {
    constexpr std::size_t count = part_count<typename members_in<decltype(told_form<T>())>::list>;
    return path.then(".", split_names<count>(T::perdure_names_of_members())[index]);
  } else {
    return path.then(".", index);
  }
}

/// Finds the member in the first of these parts that has an obstacle.
template <class Placement, class... Seen, class... Parts, class PathTo>
constexpr refused_member find_in_parts(part_list<Parts...>, PathTo path_to) {
  refused_member member;
  std::size_t index = 0;
  const auto look_into = [&]<class Part>(std::type_identity<Part>) {
    if constexpr (find_obstacle<Part, Placement, Seen...>() != obstacle::none)
      member = find_refused_member<Part, Placement, Seen...>(path_to(index));
    ++index;
    return member.found != obstacle::none;
  };
  (void)(look_into(std::type_identity<Parts>()) || ...);
  return member;
}

/// Finds the member in an aggregate, by the members' types and by what the braces take.
template <class T, class Placement, class... Seen>
struct aggregate_search {
  using members = aggregate_members<T>;
  using judge = aggregate_judge<T, Placement, Seen...>;
  static constexpr std::size_t initialisers = aggregate_braces<T>::initialisers();

  template <std::size_t Index>
  static consteval obstacle judge_initialiser() {
    if constexpr (Index < initialisers) {
      return judge::template judge_member<Index, initialisers>();
    } else {
      return obstacle::none;
    }
  }
  /// Asked of an initialiser with an obstacle.
  template <std::size_t Index>
  static consteval bool is_reference() {
    return !Placement::fixed_address && judge_initialiser<Index>() != obstacle::any &&
           judge::template is_reference<Index, initialisers>();
  }

  /// Initialisers have no names.
  template <std::size_t... I>
  static constexpr refused_member find_in_initialisers(const path_text& path, std::index_sequence<I...>) {
    refused_member member;
    (void)((member = {judge_initialiser<I>(), standard_container::none, path.then(".", I)},
            member.found != obstacle::none) ||
           ...);
    return member;
  }

  template <std::size_t Index>
  static constexpr path_text path_to_member(const path_text& path) {
    const std::string_view name = member_name<T, Index>();
    return name.empty() ? path.then(".", Index) : path.then(".", name);
  }

  /// Returns how many initialisers a member takes: the elements of an array take one each.
  template <class Member>
  static constexpr std::size_t taken_by() {
    if constexpr (std::is_array_v<Member>) {
      return sizeof(Member) / sizeof(std::remove_all_extents_t<Member>);
    } else {
      return 1;
    }
  }

  /// `First` is the first initialiser of the member. A reference counts as what it refers to among the types.
  template <std::size_t Index, std::size_t First, class Member, class... Others>
  static constexpr refused_member find_in_members(const path_text& path, member_types<Member, Others...>) {
    constexpr obstacle probed = judge_initialiser<First>();
    if constexpr (probed == obstacle::reference || (probed != obstacle::none && is_reference<First>())) {
      return {obstacle::reference, standard_container::none, path_to_member<Index>(path)};
    } else if constexpr (find_obstacle<Member, Placement, Seen...>() != obstacle::none) {
      return find_refused_member<Member, Placement, Seen...>(path_to_member<Index>(path));
    } else if constexpr (probed != obstacle::none) {
      return {probed, standard_container::none, path_to_member<Index>(path)};
    } else if constexpr (sizeof...(Others) != 0) {
      return find_in_members<Index + 1, First + taken_by<Member>()>(path, member_types<Others...>());
    } else {
      return {};
    }
  }

  static constexpr refused_member find(const path_text& path) {
    if constexpr (members::known && members::count != 0 && looked_into<T>) {
      refused_member member = find_in_members<0, 0>(path, members::types());
      if (member.found != obstacle::none) return member;
    }
    return find_in_initialisers(path, std::make_index_sequence<initialisers>());
  }
};

/// Finds the first member of `T`, at any depth, that has an obstacle of its own. There must be one.
template <class T, class Placement, class... Seen>
constexpr refused_member find_refused_member(const path_text& path) {
  using type = std::remove_cv_t<T>;
  constexpr obstacle found = obstacle_of_itself<type, Placement>();
  if constexpr (found == obstacle::raw_pointer_container) {
    if constexpr (!allocates_in_a_store<typename type::allocator_type>)
      return {found, standard_container_of<type>(), path};
    return {found, standard_container::none, path};
  } else if constexpr (found != obstacle::none) {
    return {found, standard_container::none, path};
  } else if constexpr (std::is_array_v<type>) {
    return find_refused_member<std::remove_all_extents_t<type>, Placement, Seen...>(path.then("[]"));
  } else if constexpr (parts_of<type>::known) {
    return find_in_parts<Placement, Seen...>(
        typename parts_of<type>::list(), [&](std::size_t index) { return path_to_part<type>(path, index); });
  } else if constexpr (lists_its_members<type>) {
    return find_in_parts<Placement, Seen..., type>(
        typename members_in<decltype(told_form<type>())>::list(),
        [&](std::size_t index) { return path_to_listed<type>(path, index); });
  } else if constexpr (has_elements<type>) {
    return find_refused_member<typename type::value_type, Placement, Seen..., type>(path.then("[]"));
  } else if constexpr (adapts_a_container<type>) {
    return find_refused_member<typename type::container_type, Placement, Seen..., type>(path);
  } else {
    return aggregate_search<type, Placement, Seen..., type>::find(path);
  }
}

}  // namespace perdure::detail
