// What is inside a type, as text that a store keeps: the types of its elements, halves and members, so that a
// program in which one of them has changed does not take old bytes for new ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/data_type.hpp>
#include <perdure/detail/aggregate_members.hpp>
#include <perdure/detail/parts.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace perdure {

/// Specialise for a type whose meaning changed while its bytes look the same, or whose members the compiler
/// does not show: objects stored under another version are refused with `errc::wrong_type`. Where it is not 0
/// its author vouches for the members, and they are not looked into.
///
///     template <> inline constexpr std::uint32_t perdure::layout_version<my_type> = 2;
template <class T>
inline constexpr std::uint32_t layout_version = 0;

namespace detail {

/// What may stand in the place of a type's name where only the layout is compared.
enum class layout_role : char {
  opaque = 'o',     ///< only itself
  aggregate = 'a',  ///< any aggregate or enumeration with the same members
  holder = 'h',     ///< another specialisation of the same template
};

/// How an expression reaches a part: as `[i]`, `.second`, `.<0>`, or where a member's name is not known, as
/// `.(member 1)`.
struct layout_label {
  enum class kind { whole, element, member, held };
  kind how = kind::whole;
  std::string_view name = {};
  std::size_t index = 0;
};

/// One type inside another, or the outermost one.
struct layout_part {
  std::string_view label;
  std::string_view name;  ///< mangled
  std::size_t size = 0;
  std::size_t alignment = 0;
  std::uint32_t version = 0;
  bool trivially_copyable = false;
  layout_role role = layout_role::opaque;
};

/// Writes the description, a line a part, each before what is inside it.
class layout_writer {
 public:
  /// Of the part's own label nothing is written.
  void add(unsigned depth, const layout_label& label, const layout_part& part);
  /// Whether the parts of this type have not been written yet; each type's are, once.
  bool begin(const std::type_info& type);
  /// Empty if nothing is inside the outermost type.
  std::string take();

 private:
  std::string text_;
  std::vector<std::string_view> begun_;
  std::size_t lines_ = 0;
};

/// The last line of a layout.
void add_data_type(std::string& layout, const data_type& type);

template <class T>
inline constexpr bool looked_into = layout_version<T> == 0;

template <class T>
concept complete_object = std::is_object_v<T> && requires { sizeof(T); };

template <class T>
consteval layout_role role_of() {
  if constexpr (!looked_into<T>) {
    return layout_role::opaque;
  } else if constexpr (std::is_enum_v<T>) {
    return layout_role::aggregate;
  } else if constexpr (!std::is_class_v<T>) {
    return std::is_array_v<T> ? layout_role::aggregate : layout_role::opaque;
  } else if constexpr (parts_of<T>::known || has_allocator<T> || requires { typename T::container_type; }) {
    return layout_role::holder;
  } else {
    return aggregate_members<T>::known ? layout_role::aggregate : layout_role::opaque;
  }
}

template <class T>
void describe_parts(layout_writer& writer, unsigned depth);

template <class Part>
void describe_part(layout_writer& writer, unsigned depth, const layout_label& label) {
  using type = std::remove_cv_t<std::remove_reference_t<Part>>;
  if constexpr (!std::is_reference_v<Part> && complete_object<type>) {
    writer.add(depth, label,
               {{},
                typeid(type).name(),
                sizeof(type),
                alignof(type),
                layout_version<type>,
                std::is_trivially_copyable_v<type>,
                role_of<type>()});
    describe_parts<type>(writer, depth + 1);
  }
}

template <class T, class... Parts>
void describe_held(layout_writer& writer, [[maybe_unused]] unsigned depth, part_list<Parts...>) {
  [[maybe_unused]] std::size_t index = 0;
  (describe_part<Parts>(writer, depth, {layout_label::kind::held, {}, index++}), ...);
}

template <class T, class... Members>
void describe_members(layout_writer& writer, unsigned depth, member_types<Members...>) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (describe_part<Members>(writer, depth, {layout_label::kind::member, member_name<T, I>(), I}), ...);
  }(std::index_sequence_for<Members...>{});
}

/// Not into what pointers point to: whether that is complete differs between the places that ask.
template <class T>
void describe_parts(layout_writer& writer, unsigned depth) {
  if constexpr (!looked_into<T>) {
    return;
  } else if constexpr (std::is_array_v<T>) {
    describe_part<std::remove_extent_t<T>>(writer, depth, {layout_label::kind::element});
  } else if constexpr (std::is_enum_v<T>) {
    describe_part<std::underlying_type_t<T>>(writer, depth, {});
  } else if constexpr (std::is_class_v<T>) {
    if (!writer.begin(typeid(T))) return;
    if constexpr (requires {
                    typename T::first_type;
                    typename T::second_type;
                  } && parts_of<T>::known) {
      describe_part<typename T::first_type>(writer, depth, {layout_label::kind::member, "first"});
      describe_part<typename T::second_type>(writer, depth, {layout_label::kind::member, "second"});
    } else if constexpr (parts_of<T>::known) {
      describe_held<T>(writer, depth, typename parts_of<T>::list{});
    } else if constexpr (has_allocator<T>) {
      if constexpr (requires { typename T::value_type; })
        describe_part<typename T::value_type>(writer, depth, {layout_label::kind::element});
    } else if constexpr (requires { typename T::container_type; }) {
      describe_part<typename T::container_type>(writer, depth, {layout_label::kind::member, "container"});
    } else if constexpr (aggregate_members<T>::known) {
      describe_members<T>(writer, depth, aggregate_members<T>::types());
    }
  }
}

/// What is inside `T`; empty where nothing is. If that is plain data, a last line says it in the words of
/// `data_type`. Nothing is compared by that line, which programs from before it do not read.
template <class T>
std::string layout_of() {
  layout_writer writer;
  describe_part<T>(writer, 0, {});
  std::string layout = writer.take();
  if constexpr (looked_into<T> && std::is_trivially_copyable_v<T> && plain_data<T>) {
    if (!layout.empty()) add_data_type(layout, data_type_of<T>());
  }
  return layout;
}

}  // namespace detail

}  // namespace perdure
