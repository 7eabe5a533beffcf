// Elements in memory as an array of several dimensions: where they are, not whose they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <perdure/array/extents.hpp>
#include <perdure/perdure_fwd.hpp>
#include <span>
#include <type_traits>
#include <utility>
#include <version>
#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

namespace perdure {

/// A view of `T`s in `Rank` dimensions. Strides are in elements and may be negative. Copying a view copies no
/// elements. Indices are not checked, as with `std::span`. Thread safety is that of `std::span`.
template <class T, std::size_t Rank>
class array_view {
  static constexpr std::size_t stored_rank = Rank == dynamic_rank ? max_rank : Rank;

 public:
  /// Type of the elements, as they are seen.
  using element_type = T;
  /// Type of the elements without const.
  using value_type = std::remove_cv_t<T>;

  /// Makes a view of no elements.
  constexpr array_view() noexcept : array_view(nullptr, extents::all(Rank == dynamic_rank ? 1 : Rank, 0)) {}
  /// Makes a row-major view of elements beside each other, the last dimension innermost. Throws
  /// `invalid_argument` where `dims` has another number of dimensions than the view.
  constexpr array_view(T* data, const extents& dims) : data_(data) {
    set(dims);
    std::ptrdiff_t stride = 1;
    for (std::size_t i = rank(); i-- > 0;) {
      strides_[i] = stride;
      stride *= static_cast<std::ptrdiff_t>(extents_[i]);
    }
  }
  /// Makes a view with strides, in elements. Throws `invalid_argument` where `dims` or `strides` has another
  /// number of dimensions than the view.
  constexpr array_view(T* data, const extents& dims, std::span<const std::ptrdiff_t> strides) : data_(data) {
    set(dims);
    if (strides.size() != rank())
      throw error(errc::invalid_argument, "a view of " + std::to_string(rank()) + " dimensions has " +
                                              std::to_string(strides.size()) + " strides");
    std::copy(strides.begin(), strides.end(), strides_.begin());
  }
  /// Makes a view of one dimension of the elements of a span.
  template <std::size_t N>
  constexpr array_view(
      std::span<T, N> elements) noexcept  // NOLINT(google-explicit-constructor): as of a span
    requires(Rank == 1 || Rank == dynamic_rank)
      : array_view(elements.data(), extents{elements.size()}) {}
  /// Converts a view: to one of constant elements, or of any rank.
  template <class U, std::size_t R>
    requires std::is_convertible_v<U (*)[], T (*)[]> && (R == Rank || Rank == dynamic_rank)
  constexpr array_view(
      const array_view<U, R>& other)  // NOLINT(google-explicit-constructor): to const, to any rank
      : array_view(other.data(), other.dims(), other.strides()) {}
#if defined(__cpp_lib_mdspan)
  /// Makes a view of what an `mdspan` shows.
  template <class U, class E, class L, class A>
    requires std::is_convertible_v<U (*)[], T (*)[]> && (E::rank() == Rank || Rank == dynamic_rank)
  constexpr array_view(const std::mdspan<U, E, L, A>& other) : data_(other.data_handle()) {
    extents dims;
    for (std::size_t i = 0; i < E::rank(); ++i) dims.push_back(static_cast<std::uint64_t>(other.extent(i)));
    set(dims);
    for (std::size_t i = 0; i < E::rank(); ++i) strides_[i] = static_cast<std::ptrdiff_t>(other.stride(i));
  }
  /// Returns an `mdspan` of the same elements, with strides of any kind.
  constexpr auto to_mdspan() const
    requires(Rank != dynamic_rank)
  {
    using shape = std::dextents<std::size_t, Rank>;
    return std::mdspan<T, shape, std::layout_stride>(
        data_, std::layout_stride::mapping<shape>(shape(extents_), strides_));
  }
#endif

  /// Returns the address of the element whose indices are all 0.
  constexpr T* data() const noexcept { return data_; }
  /// Returns the number of dimensions.
  constexpr std::size_t rank() const noexcept {
    if constexpr (Rank == dynamic_rank) {
      return rank_;
    } else {
      return Rank;
    }
  }
  /// Returns the number of elements along a dimension, which is not checked.
  constexpr std::size_t extent(std::size_t dimension) const noexcept { return extents_[dimension]; }
  /// Returns the distance between neighbours along a dimension, in elements.
  constexpr std::ptrdiff_t stride(std::size_t dimension) const noexcept { return strides_[dimension]; }
  /// Returns the numbers of elements along all dimensions.
  constexpr extents dims() const {
    extents all;
    for (std::size_t i = 0; i < rank(); ++i) all.push_back(extents_[i]);
    return all;
  }
  /// Returns the distances between neighbours, in elements. They are valid while the view exists.
  constexpr std::span<const std::ptrdiff_t> strides() const noexcept { return {strides_.data(), rank()}; }
  /// Returns the number of all elements.
  constexpr std::size_t size() const noexcept {
    std::size_t product = 1;
    for (std::size_t i = 0; i < rank(); ++i) product *= extents_[i];
    return product;
  }
  /// Returns whether there are no elements.
  constexpr bool empty() const noexcept { return size() == 0; }
  /// Returns whether the elements lie beside each other, row-major.
  constexpr bool is_contiguous() const noexcept {
    std::ptrdiff_t expected = 1;
    for (std::size_t i = rank(); i-- > 0;) {
      if (extents_[i] != 1 && strides_[i] != expected) return false;
      expected *= static_cast<std::ptrdiff_t>(extents_[i]);
    }
    return true;
  }
  /// Returns the elements as a span. Throws `invalid_argument` where they do not lie beside each other,
  /// row-major.
  constexpr std::span<T> span() const {
    if (!is_contiguous())
      throw error(errc::invalid_argument, "the elements of this view do not lie beside each other");
    return {data_, size()};
  }

  /// Returns the element at the indices, of which there are as many as dimensions.
  template <class... Indices>
    requires((sizeof...(Indices) == Rank || Rank == dynamic_rank) &&
             (std::is_convertible_v<Indices, std::ptrdiff_t> && ...))
  constexpr T& operator()(Indices... indices) const noexcept {
    std::ptrdiff_t at = 0;
    std::size_t dimension = 0;
    ((at += static_cast<std::ptrdiff_t>(indices) * strides_[dimension++]), ...);
    return data_[at];
  }

 private:
  constexpr void set(const extents& dims) {
    if constexpr (Rank == dynamic_rank) {
      rank_ = dims.rank();
    } else {
      if (dims.rank() != Rank)
        throw error(errc::invalid_argument, "an array of " + std::to_string(dims.rank()) +
                                                " dimensions is no view of " + std::to_string(Rank));
    }
    for (std::size_t i = 0; i < rank(); ++i) extents_[i] = static_cast<std::size_t>(dims[i]);
  }

  T* data_ = nullptr;
  std::array<std::size_t, stored_rank> extents_{};
  std::array<std::ptrdiff_t, stored_rank> strides_{};
  std::size_t rank_ = Rank == dynamic_rank ? 0 : Rank;
};

/// Deduces the view of a span.
template <class T, std::size_t N>
array_view(std::span<T, N>) -> array_view<T, 1>;

}  // namespace perdure
