// Content of a type, in two texts that a store keeps. The layout has the types of its elements, halves
// and members, so that a program in which one of them has changed does not take old bytes for new ones. The
// form says also how containers and classes with private members are read (stored_form.hpp), and where
// members are, so that any program can list the object. Layouts are compared; forms are not.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <perdure/data_type.hpp>
#include <perdure/detail/aggregate_members.hpp>
#include <perdure/detail/parts.hpp>
#include <perdure/detail/unread_object.hpp>
#include <perdure/stored_form.hpp>
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

/// Replacement for a type's name where only the layout is compared.
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

/// How far inside a part is, and which of the two texts it belongs to.
struct layout_place {
  unsigned depth = 0;
  bool in_layout = true;
  bool in_form = true;

  constexpr bool in_any() const noexcept { return in_layout || in_form; }
  constexpr layout_place inside() const noexcept { return {depth + 1, in_layout, in_form}; }
  constexpr layout_place in_form_only() const noexcept { return {depth, false, in_form}; }
  constexpr layout_place in_layout_only() const noexcept { return {depth, in_layout, false}; }
};

/// Texts that a store records of a type: both empty if nothing is inside it.
struct type_description {
  std::string layout = {};
  std::string form = {};
};

/// Writes the descriptions, a line a part, each before what is inside it.
class layout_writer {
 public:
  /// `offset` is the part's place in what it is inside, in bytes; `kind` says how its own bytes are read.
  void add(const layout_place& place, const layout_label& label, const layout_part& part,
           std::uint64_t offset, const form_kind& kind);
  /// Returns the place without the texts that have the parts of this type: each has those of a type once.
  layout_place begin(const layout_place& place, const std::type_info& type);
  type_description take();

 private:
  struct recorded_text {
    std::string lines;
    std::size_t count = 0;
    std::vector<std::string_view> begun;

    bool begin(std::string_view type);
    std::string take();
  };
  recorded_text layout_;
  recorded_text form_;
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
  } else if constexpr (lists_its_members<T>) {
    return layout_role::aggregate;
  } else if constexpr (parts_of<T>::known || has_allocator<T> || requires { typename T::container_type; }) {
    return layout_role::holder;
  } else {
    return aggregate_members<T>::known ? layout_role::aggregate : layout_role::opaque;
  }
}

/// Whether the compiler tells the names of all members, and so that none is a bit-field.
template <class T>
consteval bool has_named_members() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return (!member_name<T, I>().empty() && ...);
  }(std::make_index_sequence<aggregate_members<T>::count>{});
}

template <class T>
concept pair_like = parts_of<T>::known && requires {
  typename T::first_type;
  typename T::second_type;
};

template <class T>
form_kind form_kind_of() {
  if constexpr (describes_itself<T>) {
    return told_form<T>().kind();
  } else if constexpr (!looked_into<T>) {
    return {};
  } else if constexpr (std::is_array_v<T> || is_standard_array<T>) {
    return {"elements"};
  } else if constexpr (std::is_enum_v<T>) {
    return {"same"};
  } else if constexpr (pair_like<T>) {
    return {"members"};
  } else if constexpr (std::is_class_v<T> && role_of<T>() == layout_role::aggregate) {
    if constexpr (has_named_members<T>()) return {"members"};
    return {};
  } else {
    return {};
  }
}

template <class T>
void describe_parts(layout_writer& writer, layout_place place);

template <class Part>
void describe_part(layout_writer& writer, const layout_place& place, const layout_label& label,
                   std::uint64_t offset = 0) {
  using type = std::remove_cv_t<std::remove_reference_t<Part>>;
  if constexpr (!std::is_reference_v<Part> && complete_object<type>) {
    if (!place.in_any()) return;
    writer.add(place, label,
               {{},
                typeid(type).name(),
                sizeof(type),
                alignof(type),
                layout_version<type>,
                std::is_trivially_copyable_v<type>,
                role_of<type>()},
               offset, form_kind_of<type>());
    describe_parts<type>(writer, place.inside());
  }
}

/// Describes what a class says of itself: a container's elements, or all members.
template <class T, class Form>
void describe_form(layout_writer& writer, const layout_place& place, const Form&) {
  describe_part<typename T::value_type>(writer, place, {layout_label::kind::element});
}
template <class T, class Class, class Member>
void describe_form(layout_writer& writer, const layout_place& place, const stored_as<Class, Member>& form) {
  describe_part<Member>(writer, place, {}, form.offset);
}
template <class T, class Class, class... Members>
void describe_form(layout_writer& writer, const layout_place& place,
                   const stored_members<Class, Members...>& form) {
  std::size_t index = 0;
  const auto describe = [&]<class Member>(std::type_identity<Member>) {
    describe_part<Member>(writer, place, {layout_label::kind::member, form.names[index], index},
                          form.offsets[index]);
    ++index;
  };
  (describe(std::type_identity<Members>()), ...);
}

template <class T, class... Parts>
void describe_held(layout_writer& writer, [[maybe_unused]] const layout_place& place, part_list<Parts...>) {
  [[maybe_unused]] std::size_t index = 0;
  (describe_part<Parts>(writer, place, {layout_label::kind::held, {}, index++}), ...);
}

template <class T, class... Members>
void describe_members(layout_writer& writer, [[maybe_unused]] const layout_place& place,
                      member_types<Members...>) {
  std::array<std::uint64_t, sizeof...(Members)> offsets{};
  if constexpr (sizeof...(Members) != 0 && has_named_members<T>())
    offsets = with_members<sizeof...(Members)>(unread_object<T>(), member_offset{&unread_object<T>()});
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (describe_part<Members>(writer, place, {layout_label::kind::member, member_name<T, I>(), I}, offsets[I]),
     ...);
  }(std::index_sequence_for<Members...>{});
}

/// Not into what pointers point to: whether that is complete differs between the places that ask.
template <class T>
void describe_parts(layout_writer& writer, layout_place place) {
  if constexpr (std::is_class_v<T>) {
    place = writer.begin(place, typeid(T));
    if (!place.in_any()) return;
    if constexpr (lists_its_members<T> && looked_into<T>) {
      return describe_form<T>(writer, place, told_form<T>());
    } else if constexpr (describes_itself<T>) {
      describe_form<T>(writer, place.in_form_only(), told_form<T>());
      place = place.in_layout_only();
    }
  }
  if constexpr (!looked_into<T>) {
    return;
  } else if constexpr (std::is_array_v<T>) {
    describe_part<std::remove_extent_t<T>>(writer, place, {layout_label::kind::element});
  } else if constexpr (std::is_enum_v<T>) {
    describe_part<std::underlying_type_t<T>>(writer, place, {});
  } else if constexpr (std::is_class_v<T>) {
    if constexpr (pair_like<T>) {
      describe_part<typename T::first_type>(writer, place, {layout_label::kind::member, "first"},
                                            offset_of(&T::first));
      describe_part<typename T::second_type>(writer, place, {layout_label::kind::member, "second"},
                                             offset_of(&T::second));
    } else if constexpr (parts_of<T>::known) {
      describe_held<T>(writer, place, typename parts_of<T>::list{});
    } else if constexpr (has_allocator<T>) {
      if constexpr (requires { typename T::value_type; })
        describe_part<typename T::value_type>(writer, place, {layout_label::kind::element});
    } else if constexpr (requires { typename T::container_type; }) {
      describe_part<typename T::container_type>(writer, place, {layout_label::kind::member, "container"});
    } else if constexpr (aggregate_members<T>::known) {
      describe_members<T>(writer, place, aggregate_members<T>::types());
    }
  }
}

// `std::complex`, `std::chrono::duration`, `time_point` and `std::bitset` are known by their members: to
// include their headers would make every program longer by a sixth.
template <class T>
concept complex_like = requires(const T& number) {
  { number.real() } -> std::same_as<typename T::value_type>;
  { number.imag() } -> std::same_as<typename T::value_type>;
} && sizeof(T) == 2 * sizeof(typename T::value_type);
template <class T>
concept duration_like = requires(const T& span) {
  typename T::period;
  { span.count() } -> std::same_as<typename T::rep>;
} && sizeof(T) == sizeof(typename T::rep);
template <class T>
concept time_point_like = requires(const T& point) {
  typename T::clock;
  { point.time_since_epoch() } -> std::same_as<typename T::duration>;
} && sizeof(T) == sizeof(typename T::duration);
template <class T>
concept bitset_like = requires(const T& bits) {
  { bits.to_ullong() } -> std::same_as<unsigned long long>;
  { bits.test(0) } -> std::same_as<bool>;
};

/// Types that hold nothing but what their names say.
template <class T>
concept named_in_full = std::is_empty_v<T> || is_offset_pointer<T> || complex_like<T> || duration_like<T> ||
                        time_point_like<T> || bitset_like<T>;

template <class T, class... Seen>
consteval bool knows_layout();

template <class... Seen, template <class...> class List, class... Parts>
consteval bool knows_layouts(List<Parts...>) {
  return (knows_layout<std::remove_cv_t<Parts>, Seen...>() && ...);
}

/// `Seen` are the types around this one, which may hold more of themselves.
template <class T, class... Seen>
consteval bool knows_layout() {
  if constexpr ((std::is_same_v<T, Seen> || ...) || !looked_into<T>) {
    return true;
  } else if constexpr (std::is_array_v<T>) {
    return knows_layout<std::remove_cv_t<std::remove_all_extents_t<T>>, Seen...>();
  } else if constexpr (std::is_union_v<T>) {
    return false;
  } else if constexpr (!std::is_class_v<T>) {
    return true;
  } else if constexpr (lists_its_members<T>) {
    return knows_layouts<Seen..., T>(typename members_in<decltype(told_form<T>())>::list{});
  } else if constexpr (parts_of<T>::known) {
    return knows_layouts<Seen..., T>(typename parts_of<T>::list{});
  } else if constexpr (has_allocator<T> && requires { typename T::value_type; }) {
    return knows_layout<std::remove_cv_t<typename T::value_type>, Seen..., T>();
  } else if constexpr (requires { typename T::container_type; }) {
    return knows_layout<typename T::container_type, Seen..., T>();
  } else if constexpr (named_in_full<T>) {
    return true;
  } else {
    return aggregate_members<T>::known && knows_layouts<Seen..., T>(aggregate_members<T>::types());
  }
}

/// Returns what is inside `T`. If that is plain data, a last line of the layout says it in the words of
/// `data_type`, and there is no form. Nothing is compared by that line, which programs from before it do not
/// read.
template <class T>
type_description describe_type() {
  constexpr bool is_plain = looked_into<T> && std::is_trivially_copyable_v<T> && plain_data<T>;
  layout_writer writer;
  describe_part<T>(writer, {.in_form = !is_plain}, {});
  type_description description = writer.take();
  if constexpr (is_plain) {
    if (!description.layout.empty()) add_data_type(description.layout, data_type_of<T>());
  }
  return description;
}

}  // namespace detail

/// Whether a store notices every change of a type inside `T`: everything is an aggregate without bases, a
/// container, a vocabulary type of the standard library, a class that lists its members (PERDURE_MEMBERS), or
/// one whose author vouches for it (`layout_version`). False for a class with private members or bases and a
/// union, of which only name, size and alignment are compared, and for what holds one. Of classes with
/// elements (`value_type` and `allocator_type`) the elements count.
template <class T>
inline constexpr bool layout_is_known = detail::knows_layout<std::remove_cv_t<T>>();

}  // namespace perdure
