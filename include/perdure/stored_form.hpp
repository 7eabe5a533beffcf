// Description of a class's private members, so that a store records their names, types and offsets: any
// program can then list objects of the class (perdure/inspect), whether it knows the class or not.
//
//     class account {
//      public:
//       static auto stored_form() {
//         return perdure::stored_members(perdure::stored_member("owner", &account::owner_),
//                                        perdure::stored_member("cents", &account::cents_));
//       }
//
//      private:
//       perdure::string owner_;
//       std::int64_t cents_ = 0;
//     };
//
// Aggregates, pairs and Perdure's own containers need no such function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <perdure/detail/unread_object.hpp>
#include <string_view>
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

template <class T>
inline constexpr bool is_offset_pointer = false;
template <class T>
inline constexpr bool is_offset_pointer<offset_ptr<T>> = true;

}  // namespace detail

/// One member of a class: its name in listings, and its place.
template <class Class, class Type>
struct stored_member {
  stored_member(std::string_view name_of_member, Type Class::*member)
      : name(name_of_member), offset(detail::offset_of(member)) {}

  std::string_view name;
  std::uint64_t offset;  ///< bytes from the beginning of the object
};

/// All members of a class, in the order in which they are declared. Members without bytes, such as allocators
/// without state, are left out. A class with bases that have members cannot be described.
template <class Class, class... Types>
struct stored_members {
  using described = Class;
  static_assert(detail::size_with_members<Types...>(alignof(Class)) == sizeof(Class),
                "stored_members: a member of the class is missing, or the order is not that of the "
                "declaration");

  explicit stored_members(const stored_member<Class, Types>&... members)
      : names{members.name...}, offsets{members.offset...} {}
  detail::form_kind kind() const noexcept { return {"members"}; }

  std::array<std::string_view, sizeof...(Types)> names;
  std::array<std::uint64_t, sizeof...(Types)> offsets;
};

/// A class that is listed as its only member is.
template <class Class, class Type>
struct stored_as {
  using described = Class;
  static_assert(sizeof(Type) == sizeof(Class), "stored_as: the class has another member");

  explicit stored_as(Type Class::*member) : offset(detail::offset_of(member)) {}
  detail::form_kind kind() const noexcept { return {"same"}; }

  std::uint64_t offset;
};

/// A container whose elements, of type `Class::value_type`, are in one block of memory: the pointer to the
/// first element, the number of elements, and the number of elements that the block has room for. The pointer
/// is an `offset_ptr`, a plain pointer, or an integer: the distance in bytes from the container.
template <class Class>
struct stored_array {
  using described = Class;

  template <class Pointer>
  stored_array(Pointer Class::*first, std::size_t Class::*count, std::size_t Class::*capacity)
      : how{word_for<Pointer>(),
            {detail::offset_of(first), detail::offset_of(count), detail::offset_of(capacity)},
            3} {
    static_assert(sizeof(Pointer) == sizeof(std::uint64_t));
  }
  detail::form_kind kind() const noexcept { return how; }

  detail::form_kind how;

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

/// A class with a function `stored_form`, or one that adds nothing to such a class.
template <class T>
concept describes_itself =
    std::is_class_v<T> && requires { typename decltype(T::stored_form())::described; } &&
    std::is_base_of_v<typename decltype(T::stored_form())::described, T> &&
    sizeof(T) == sizeof(typename decltype(T::stored_form())::described);

}  // namespace detail

}  // namespace perdure
