// Description of the members of a class that the compiler does not show: private ones, and those of bases.
// With it a store notices that one of them has changed, and any program can list objects of the class
// (perdure/inspect), whether it knows the class or not.
//
//     class account {
//      public:
//       PERDURE_MEMBERS(owner_, cents_)
//
//      private:
//       perdure::string owner_;
//       std::int64_t cents_ = 0;
//     };
//
// Aggregates without bases, pairs and Perdure's own containers need none. A class whose members shall have
// other names in listings has a function instead:
//
//       static auto stored_form() {
//         return perdure::stored_members(perdure::stored_member("owner", &account::owner_),
//                                        perdure::stored_member("cents", &account::cents_));
//       }
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/detail/parts.hpp>
#include <perdure/detail/unread_object.hpp>
#include <perdure/error.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace perdure {

template <class T>
class offset_ptr;

namespace detail {

/// How the bytes of a type are read, as a word and numbers, which a store keeps. `-`: the store does not say.
struct form_kind {
  std::string_view word = "-";
  std::array<std::uint64_t, 3> numbers = {};
  std::size_t count = 0;
};

/// Returns the size of a class that has these members and no others, in this order.
template <class... Types>
consteval std::size_t size_with_members(std::size_t alignment) {
  std::size_t end = 0;
  ((end = (end + alignof(Types) - 1) / alignof(Types) * alignof(Types) + sizeof(Types)), ...);
  return (end + alignment - 1) / alignment * alignment;
}

/// Splits the words of PERDURE_MEMBERS, which are names with commas between them.
template <std::size_t Count>
constexpr std::array<std::string_view, Count> split_names(std::string_view words) {
  std::array<std::string_view, Count> names{};
  for (std::string_view& name : names) {
    const std::size_t comma = words.find(',');
    name = words.substr(0, comma);
    words = comma == std::string_view::npos ? std::string_view() : words.substr(comma + 1);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
  }
  return names;
}

/// Throws `unsupported` where the member is not in the object.
template <class Class, class Type>
std::uint64_t offset_in(const Class& object, const Type* member, std::string_view names) {
  const auto offset =
      reinterpret_cast<std::uintptr_t>(member) - reinterpret_cast<std::uintptr_t>(std::addressof(object));
  if (sizeof(Type) <= sizeof(Class) && offset <= sizeof(Class) - sizeof(Type)) return offset;
  throw error(errc::unsupported,
              "PERDURE_MEMBERS(" + std::string(names) +
                  ") names something that is no member with an address of its own, such as a "
                  "bit-field: give the class a layout_version instead");
}

template <class T>
inline constexpr bool is_offset_pointer = false;
template <class T>
inline constexpr bool is_offset_pointer<offset_ptr<T>> = true;

}  // namespace detail

/// One member of a class: its name in listings, and its place.
template <class Class, class Type>
struct stored_member {
  /// Names a member by a name of one's own: `stored_member("owner", &account::owner_)`.
  stored_member(std::string_view name_of_member, Type Class::*member)
      : name(name_of_member), offset(detail::offset_of(member)) {}

  /// The name in listings.
  std::string_view name;
  std::uint64_t offset;  ///< bytes from the beginning of the object
};

/// All members of a class, in the order in which they are declared. Members without bytes, such as allocators
/// without state, are left out. A class with bases that have members is described by PERDURE_MEMBERS.
template <class Class, class... Types>
struct stored_members {
  /// The class that is described.
  using described = Class;
  static_assert(detail::size_with_members<Types...>(alignof(Class)) == sizeof(Class),
                "stored_members: a member of the class is missing, or the order is not that of the "
                "declaration");

  /// Describes all members of the class, in the order of their declaration.
  explicit stored_members(const stored_member<Class, Types>&... members)
      : names{members.name...}, offsets{members.offset...} {}
  /// Describes what PERDURE_MEMBERS names. `unsupported` for what is no member with an address of its own: a
  /// bit-field.
  stored_members(std::string_view names_in_words, const Class& object,
                 const std::tuple<const Types&...>& members)
      : names(detail::split_names<sizeof...(Types)>(names_in_words)),
        offsets(std::apply(
            [&](const Types&... member) {
              return std::array<std::uint64_t, sizeof...(Types)>{
                  detail::offset_in(object, std::addressof(member), names_in_words)...};
            },
            members)) {}
  /// Returns the form as stores keep it.
  detail::form_kind kind() const noexcept { return {"members"}; }

  /// Names of the members, and their places in bytes from the beginning of the object.
  ///@{
  std::array<std::string_view, sizeof...(Types)> names;
  std::array<std::uint64_t, sizeof...(Types)> offsets;
  ///@}
};

/// A class that is listed as its only member is.
template <class Class, class Type>
struct stored_as {
  /// The class that is described.
  using described = Class;
  static_assert(sizeof(Type) == sizeof(Class), "stored_as: the class has another member");

  /// Describes a class by its only member.
  explicit stored_as(Type Class::*member) : offset(detail::offset_of(member)) {}
  /// Returns the form as stores keep it.
  detail::form_kind kind() const noexcept { return {"same"}; }

  /// The member's place, in bytes from the beginning of the object.
  std::uint64_t offset;
};

/// A container whose elements, of type `Class::value_type`, are in one block of memory: the pointer to the
/// first element, the number of elements, and the number of elements that the block has room for. The pointer
/// is an `offset_ptr`, a plain pointer, or an integer: the distance in bytes from the container.
template <class Class>
struct stored_array {
  /// The class that is described.
  using described = Class;

  /// Describes a container by its members: the pointer to the first element, the number of elements, and the
  /// room.
  template <class Pointer>
  stored_array(Pointer Class::*first, std::size_t Class::*count, std::size_t Class::*capacity)
      : how{word_for<Pointer>(),
            {detail::offset_of(first), detail::offset_of(count), detail::offset_of(capacity)},
            3} {
    static_assert(sizeof(Pointer) == sizeof(std::uint64_t));
  }
  /// Returns the form as stores keep it.
  ///@{
  detail::form_kind kind() const noexcept { return how; }

  detail::form_kind how;
  ///@}

 private:
  template <class Pointer>
  static consteval std::string_view word_for() {
    if constexpr (std::is_integral_v<Pointer>) {
      return "array";
    } else if constexpr (detail::is_offset_pointer<Pointer>) {
      return "offset_array";
    } else {
      return std::is_pointer_v<Pointer> ? "address_array" : "-";
    }
  }
};

namespace detail {

/// `perdure::basic_string` of one-byte characters: where its 24 bytes are.
template <class Class>
struct stored_string {
  using described = Class;

  explicit stored_string(std::uint64_t words) : offset(words) {}
  form_kind kind() const noexcept { return {"string", {offset}, 1}; }

  std::uint64_t offset;
};

/// `flat_map` and `flat_set`: where the number of elements, the distance from it to the control bytes, and
/// the mask are.
template <class Class>
struct stored_flat_table {
  using described = Class;

  stored_flat_table(std::uint64_t size, std::uint64_t distance, std::uint64_t mask)
      : size_at(size), distance_at(distance), mask_at(mask) {}
  /// Returns the form of a class that has a table at this offset, and nothing else.
  template <class Container>
  stored_flat_table<Container> inside(std::uint64_t offset) const {
    static_assert(sizeof(Container) == sizeof(Class), "the container has another member");
    return {size_at + offset, distance_at + offset, mask_at + offset};
  }
  form_kind kind() const noexcept { return {"flat_table", {size_at, distance_at, mask_at}, 3}; }

  std::uint64_t size_at;
  std::uint64_t distance_at;
  std::uint64_t mask_at;
};

/// The class of which a member function PERDURE_MEMBERS is, and the types that it names.
template <class Class, class... Types>
stored_members<Class, Types...> members_named_by(std::tuple<const Types&...> (Class::*members)()
                                                     const noexcept);

template <class T>
concept has_stored_form = requires { typename decltype(T::stored_form())::described; };
template <class T>
concept names_its_members = requires { typename decltype(members_named_by(&T::perdure_members))::described; };

/// Returns what a class says of itself.
template <class T>
  requires(has_stored_form<T> || names_its_members<T>)
auto told_form() {
  if constexpr (has_stored_form<T>) {
    return T::stored_form();
  } else {
    using form = decltype(members_named_by(&T::perdure_members));
    const auto& object = unread_object<typename form::described>();
    return form(T::perdure_names_of_members(), object, object.perdure_members());
  }
}

/// A class with such a function, or one that adds nothing to such a class.
template <class T>
concept describes_itself = std::is_class_v<T> && requires { typename decltype(told_form<T>())::described; } &&
                           std::is_base_of_v<typename decltype(told_form<T>())::described, T> &&
                           sizeof(T) == sizeof(typename decltype(told_form<T>())::described);

/// The types of the members that a form lists, if it does.
template <class Form>
struct members_in {
  static constexpr bool known = false;
};
template <class Class, class... Types>
struct members_in<stored_members<Class, Types...>> : known_parts<Types...> {};
template <class Class, class Type>
struct members_in<stored_as<Class, Type>> : known_parts<Type> {};

/// A class that lists its members, and is no container, whose elements are what counts.
template <class T>
concept lists_its_members =
    describes_itself<T> && members_in<decltype(told_form<T>())>::known && !parts_of<T>::known &&
    !(has_allocator<T> && requires { typename T::value_type; }) && !requires { typename T::container_type; };

}  // namespace detail

}  // namespace perdure

/// Names all members of a class in the order of their declaration, those of its bases first: the store then
/// knows their types. To be written once, in the public part of the class; it adds no bytes. Members without
/// bytes are left out.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): only the preprocessor turns names into text.
#define PERDURE_MEMBERS(...)                                                \
  auto perdure_members() const noexcept {                                   \
    return ::std::tie(__VA_ARGS__);                                         \
  }                                                                         \
  static constexpr ::std::string_view perdure_names_of_members() noexcept { \
    return #__VA_ARGS__;                                                    \
  }
