// How values of a program stand in an array store: which element types and dimensions they have.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <perdure/array/array_view.hpp>
#include <perdure/array/extents.hpp>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/data_type.hpp>
#include <perdure/detail/range_concepts.hpp>
#include <perdure/error.hpp>
#include <perdure/persistable.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace perdure {

/// Types that can be elements of arrays: numbers, structs of numbers, and whatever else may be copied as
/// bytes and means the same in the next process.
template <class T>
concept array_element = std::is_object_v<T> && std::is_trivially_copyable_v<std::remove_cv_t<T>> &&
                        persistable<std::remove_cv_t<T>> && !std::is_pointer_v<std::remove_cv_t<T>>;

/// Specialise for a type that is not trivially copyable, to store its values as bytes of your own choosing:
///
///     template <> struct perdure::array_codec<my_type> {
///       static std::string encode(const my_type& value);
///       static my_type decode(std::string_view bytes);
///     };
template <class T>
struct array_codec;

namespace detail {

template <class T>
concept has_codec = requires(const T& value, std::string_view bytes) {
  { array_codec<T>::encode(value) } -> std::convertible_to<std::string>;
  { array_codec<T>::decode(bytes) } -> std::convertible_to<T>;
};

template <class T>
concept array_text = std::convertible_to<const T&, std::string_view>;

template <class R>
concept sized_range =
    std::ranges::sized_range<const R> && std::ranges::input_range<const R> && !array_text<R>;

/// Elements beside each other, of one length.
template <class R>
concept element_range = sized_range<R> && std::ranges::contiguous_range<const R> &&
                        array_element<std::ranges::range_value_t<const R>>;
/// An argument whose elements stay where they are when the call has ended: a variable, or what owns none.
template <class R>
inline constexpr bool outlives_call =
    std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<std::remove_cvref_t<R>>;
template <class R>
concept text_range = sized_range<R> && array_text<std::ranges::range_value_t<const R>>;
template <class R>
concept sequence_range =
    sized_range<R> && !element_range<R> && element_range<std::ranges::range_value_t<const R>>;

/// The type of an element without its fixed dimensions, which are the array's last ones.
template <class T>
const data_type& base_type_of() {
  static const data_type type = data_type_of<std::remove_cv_t<T>>().base();
  return type;
}
template <class T>
extents fixed_dims_of() {
  return extents(std::span(data_type_of<std::remove_cv_t<T>>().dims()));
}
template <class T>
extents with_fixed_dims(extents dims) {
  for (const std::uint64_t n : data_type_of<std::remove_cv_t<T>>().dims()) dims.push_back(n);
  return dims;
}

template <class Elements, class T, std::size_t Rank>
Elements elements_of(const array_view<T, Rank>& view) {
  const std::size_t size = sizeof(T);
  Elements all = Elements::row_major(view.data(), with_fixed_dims<T>(view.dims()), base_type_of<T>().size());
  for (std::size_t i = 0; i < view.rank(); ++i)
    all.strides[i] = view.stride(i) * static_cast<std::ptrdiff_t>(size);
  return all;
}

template <class R>
variable_elements texts_of(const R& range) {
  variable_elements all;
  for (const auto& one : range) {
    all.bytes += std::string_view(one);
    all.ends.push_back(all.bytes.size());
  }
  return all;
}
template <class R>
variable_elements sequences_of(const R& range) {
  variable_elements all;
  for (const auto& one : range) {
    const auto* const data = std::ranges::data(one);
    all.bytes.append(reinterpret_cast<const char*>(data), std::ranges::size(one) * sizeof(*data));
    all.ends.push_back(all.bytes.size());
  }
  return all;
}

template <class T>
inline constexpr bool is_array_view = false;
template <class T, std::size_t Rank>
inline constexpr bool is_array_view<array_view<T, Rank>> = true;

template <class T>
concept resizable_elements = element_range<T> && requires(T& value, std::size_t size) {
  value.resize(size);
  { std::ranges::data(value) };
};

}  // namespace detail

}  // namespace perdure
