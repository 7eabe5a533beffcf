// The type of the elements of an object or an array, in a form for every language: a number's kind, or a
// struct's fields with their names, offsets and types. A store keeps it beside the C++ type, so that C,
// Python and the program `perdure` know an array of doubles or of structs for what it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <perdure/detail/aggregate_members.hpp>
#include <perdure/detail/unread_object.hpp>
#include <perdure/float16.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace perdure {

/// Kind of one element, before its fixed dimensions. Values are stable.
enum class element_kind : std::uint8_t {
  opaque = 0,  ///< bytes of which only size, alignment and a name are known
  boolean,
  character,  ///< one byte of text; an array of them is text of fixed length, ended by a zero byte if shorter
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,   ///< two float32: real and imaginary part
  complex128,  ///< two float64
  structure,   ///< fields at offsets
  text,        ///< UTF-8 of any length; only as the element of an array
  sequence,    ///< any number of elements of one type; only as the element of an array
};

struct data_field;

/// A type without a language. Values compare equal when every program would read their bytes alike.
///
/// As text (`text`, `parse`), which is what stores keep:
///
///     float64                                  a number
///     float32[3,4]                             a fixed array of 3 by 4, row-major
///     {24/8 time:int64@0 at:float32[3]@8}      a struct of 24 bytes aligned to 8, fields at offsets
///     string   list<float64>                   of any length
///     opaque(16/16 e)                          16 bytes that C++ calls `e` (mangled: long double)
///
/// Names that are no identifiers stand in quotation marks.
class data_type {
 public:
  /// Makes an opaque type of no bytes.
  data_type() = default;
  /// Makes a number, `boolean`, `character` or `text`. Throws `invalid_argument` for the other kinds.
  data_type(element_kind kind);  // NOLINT(google-explicit-constructor): a kind of number is a type
  /// Makes a struct of `size` bytes. Throws `invalid_argument` where fields do not lie within `size`, in
  /// order and beside each other, have no name or the same one, or have any length. Also for a `size` that is
  /// no multiple of `alignment`.
  static data_type structure(std::vector<data_field> fields, std::size_t size, std::size_t alignment);
  /// Makes a `sequence`: each element is any number of these.
  static data_type list_of(data_type element);
  /// Makes a type of which only a name, the size and the alignment are known. Throws `invalid_argument` for
  /// no name, and for a size that is no multiple of the alignment, a power of two.
  static data_type opaque(std::string_view name, std::size_t size, std::size_t alignment);

  /// Returns a fixed array of this type; of an array, an array of these. Throws `invalid_argument` for a
  /// dimension of 0, for more bytes than there can be, and where elements have any length.
  ///@{
  data_type array(std::initializer_list<std::uint64_t> dims) const;
  data_type array(std::span<const std::uint64_t> dims) const;
  ///@}

  /// Returns what one element is.
  element_kind kind() const noexcept { return kind_; }
  /// Returns the fixed dimensions, row-major; none for a single element.
  const std::vector<std::uint64_t>& dims() const noexcept { return dims_; }
  /// Returns the bytes of all dimensions; 0 where elements have any length.
  std::size_t size() const noexcept { return size_; }
  /// Returns the alignment in bytes.
  std::size_t alignment() const noexcept { return alignment_; }
  /// Returns the fields of a `structure`; none for other kinds.
  const std::vector<data_field>& fields() const noexcept;
  /// Returns the element of a `sequence`. Throws `invalid_argument` for other kinds.
  const data_type& element() const;
  /// Returns the name of an `opaque` type in its language; empty for other kinds.
  const std::string& name() const noexcept { return name_; }
  /// Returns whether elements have any length: a text or a sequence.
  bool is_variable() const noexcept { return kind_ == element_kind::text || kind_ == element_kind::sequence; }
  /// Returns the type without the fixed dimensions.
  data_type base() const;

  /// Returns the type as text, in the form above.
  std::string text() const;
  /// Reads a type from text. Throws `bad_input`, which says where. Nesting is limited to 32 levels, a text to
  /// 64 KiB.
  static data_type parse(std::string_view text);

  /// Returns whether every program would read the bytes of both alike.
  friend bool operator==(const data_type& a, const data_type& b) noexcept;

 private:
  void multiply(std::span<const std::uint64_t> dims);

  element_kind kind_ = element_kind::opaque;
  std::size_t size_ = 0;
  std::size_t alignment_ = 1;
  std::vector<std::uint64_t> dims_;
  std::vector<data_field> parts_;  // fields, or the element of a list
  std::string name_;
};

/// A field of a struct.
struct data_field {
  /// Name, place in bytes from the beginning of the struct, and type.
  ///@{
  std::string name;
  std::uint64_t offset = 0;
  data_type type;
  ///@}
  /// Compares name, place and type.
  friend bool operator==(const data_field&, const data_field&) noexcept = default;
};

// Here, where a data_field is known: a type that is returned may have to be destroyed.
inline data_type data_type::array(std::initializer_list<std::uint64_t> dims) const {
  return array(std::span(dims.begin(), dims.size()));
}

/// Returns `float64` and the like; nothing for kinds that are more than a word.
std::string_view to_string(element_kind kind) noexcept;

namespace detail {

/// Whether `T` is `std::complex`, whose header programs without complex numbers need not pay for.
template <class T>
consteval bool is_complex() {
  const std::string_view spelled = __PRETTY_FUNCTION__;
  return spelled.find("= std::complex<") != std::string_view::npos ||
         spelled.find("= std::__1::complex<") != std::string_view::npos;
}

/// The kind of a number's type; `opaque` for all others.
template <class T>
consteval element_kind number_kind() {
  if constexpr (std::is_same_v<T, bool>) {
    return element_kind::boolean;
  } else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, char8_t>) {
    return element_kind::character;
  } else if constexpr (std::is_same_v<T, std::byte>) {
    return element_kind::uint8;
  } else if constexpr (std::is_enum_v<T>) {
    return number_kind<std::underlying_type_t<T>>();
  } else if constexpr (std::is_integral_v<T>) {
    constexpr bool is_signed = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1:
        return is_signed ? element_kind::int8 : element_kind::uint8;
      case 2:
        return is_signed ? element_kind::int16 : element_kind::uint16;
      case 4:
        return is_signed ? element_kind::int32 : element_kind::uint32;
      case 8:
        return is_signed ? element_kind::int64 : element_kind::uint64;
      default:
        return element_kind::opaque;
    }
  } else if constexpr (std::is_same_v<T, float>) {
    return element_kind::float32;
  } else if constexpr (std::is_same_v<T, double>) {
    return element_kind::float64;
  } else if constexpr (std::is_same_v<T, float16>) {
    return element_kind::float16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return element_kind::bfloat16;
  } else if constexpr (std::is_class_v<T> && is_complex<T>()) {
    if constexpr (std::is_same_v<typename T::value_type, float>) return element_kind::complex64;
    if constexpr (std::is_same_v<typename T::value_type, double>) return element_kind::complex128;
    return element_kind::opaque;
#ifdef __FLT16_MANT_DIG__
  } else if constexpr (std::is_same_v<T, _Float16>) {
    return element_kind::float16;
#endif
  } else {
    return element_kind::opaque;
  }
}

template <class T>
inline constexpr bool is_standard_array = false;
template <class T, std::size_t N>
inline constexpr bool is_standard_array<std::array<T, N>> = N != 0;

/// Whether the bytes of a type say everything: it is a number, or made of numbers alone.
template <class T>
consteval bool is_plain_data();

template <class... Members>
consteval bool are_plain_data(member_types<Members...>) {
  return (is_plain_data<std::remove_cv_t<Members>>() && ...);
}

template <class T>
consteval bool is_plain_data() {
  if constexpr (number_kind<T>() != element_kind::opaque) {
    return true;
  } else if constexpr (std::is_bounded_array_v<T>) {
    return is_plain_data<std::remove_cv_t<std::remove_extent_t<T>>>();
  } else if constexpr (is_standard_array<T>) {
    return is_plain_data<typename T::value_type>();
  } else if constexpr (std::is_class_v<T> && std::is_trivially_copyable_v<T> && aggregate_members<T>::known) {
    return aggregate_members<T>::count != 0 && are_plain_data(aggregate_members<T>::types());
  } else {
    return false;
  }
}

template <class T>
data_type plain_data_type();

struct member_offset {
  const void* object;
  template <class... Members>
  std::array<std::uint64_t, sizeof...(Members)> operator()(const Members&... members) const {
    return {static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(std::addressof(members)) -
                                       static_cast<const std::byte*>(object))...};
  }
};

template <class T, class... Members>
data_type structure_of(member_types<Members...>) {
  const auto offsets =
      with_members<sizeof...(Members)>(unread_object<T>(), member_offset{&unread_object<T>()});
  std::vector<data_field> fields;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto add = [&](std::string_view name, std::size_t index, data_type type) {
      std::string called(name);
      // Not `"f" + …`, for which g++ 12 may warn of overlapping memory in the program that inlines it.
      if (name.empty()) called.append(1, 'f').append(std::to_string(index));
      fields.push_back({std::move(called), offsets[index], std::move(type)});
    };
    (add(member_name<T, I>(), I, plain_data_type<std::remove_cv_t<Members>>()), ...);
  }(std::index_sequence_for<Members...>{});
  return data_type::structure(std::move(fields), sizeof(T), alignof(T));
}

template <class T>
data_type plain_data_type() {
  if constexpr (number_kind<T>() != element_kind::opaque) {
    return number_kind<T>();
  } else if constexpr (std::is_bounded_array_v<T>) {
    return plain_data_type<std::remove_cv_t<std::remove_extent_t<T>>>().array({std::extent_v<T>});
  } else if constexpr (is_standard_array<T>) {
    return plain_data_type<typename T::value_type>().array({std::tuple_size_v<T>});
  } else {
    return structure_of<T>(aggregate_members<T>::types());
  }
}

}  // namespace detail

/// Types whose bytes every language can read: numbers, and structs and arrays made of nothing else.
template <class T>
concept plain_data = detail::is_plain_data<std::remove_cv_t<T>>();

/// Returns the type of `T` in words that every language has. A trivially copyable class that is no plain data
/// is `opaque` under its C++ name. Computed once; thread-safe.
template <class T>
  requires std::is_trivially_copyable_v<T>
const data_type& data_type_of() {
  static const data_type type = [] {
    if constexpr (plain_data<T>) {
      return detail::plain_data_type<std::remove_cv_t<T>>();
    } else {
      return data_type::opaque(typeid(T).name(), sizeof(T), alignof(T));
    }
  }();
  return type;
}

}  // namespace perdure
