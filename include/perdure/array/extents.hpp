// How many elements an array has along each of its dimensions, and parts of arrays.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <perdure/error.hpp>
#include <span>
#include <string>
#include <type_traits>

namespace perdure {

/// The most dimensions an array may have.
inline constexpr std::size_t max_rank = 32;

class extents;

namespace detail {
std::string shape_text(const extents& dims);  // <perdure/detail/index_order.hpp>
}

/// Some numbers, one for each dimension, the slowest (outermost) first.
class extents {
 public:
  /// Makes no dimensions, or those given. Throws `invalid_argument` for more than `max_rank`.
  ///@{
  constexpr extents() noexcept { make_defined(); }
  constexpr extents(std::initializer_list<std::uint64_t> values)
      : extents(std::span(values.begin(), values.size())) {}
  constexpr explicit extents(std::span<const std::uint64_t> values) {
    make_defined();
    require_rank(values.size());
    rank_ = values.size();
    std::copy(values.begin(), values.end(), values_.begin());
  }
  // Most arrays have few of the dimensions that there is room for: only those are copied.
  constexpr extents(const extents& other) noexcept : rank_(other.rank_) {
    make_defined();
    std::copy(other.begin(), other.end(), values_.begin());
  }
  constexpr extents& operator=(const extents& other) noexcept {
    rank_ = other.rank_;
    std::copy(other.begin(), other.end(), values_.begin());
    return *this;
  }
  ///@}
  constexpr ~extents() = default;
  /// Returns `rank` times the same number. Throws `invalid_argument` for more than `max_rank`.
  static constexpr extents all(std::size_t rank, std::uint64_t value) {
    require_rank(rank);
    extents result;
    result.rank_ = rank;
    std::fill_n(result.values_.begin(), rank, value);
    return result;
  }

  /// Returns the number of dimensions.
  constexpr std::size_t rank() const noexcept { return rank_; }
  /// Returns whether there are no dimensions, as of a single element.
  constexpr bool empty() const noexcept { return rank_ == 0; }
  /// Returns the number along a dimension, which is not checked.
  ///@{
  constexpr std::uint64_t operator[](std::size_t dimension) const noexcept { return values_[dimension]; }
  constexpr std::uint64_t& operator[](std::size_t dimension) noexcept { return values_[dimension]; }
  ///@}
  /// Returns the numbers, the outermost first.
  ///@{
  constexpr const std::uint64_t* begin() const noexcept { return values_.data(); }
  constexpr const std::uint64_t* end() const noexcept { return values_.data() + rank_; }
  constexpr std::span<const std::uint64_t> span() const noexcept { return {begin(), rank_}; }
  ///@}
  /// Adds an innermost dimension. Throws `invalid_argument` for more than `max_rank`.
  constexpr void push_back(std::uint64_t value) {
    require_rank(rank_ + 1);
    values_[rank_++] = value;
  }

  /// Returns the number of all elements: the product. Throws `invalid_argument` where it is no 64-bit number.
  constexpr std::uint64_t elements() const {
    std::uint64_t product = 1;
    for (const std::uint64_t extent : *this)
      if (__builtin_mul_overflow(product, extent, &product))
        throw error(errc::invalid_argument,
                    "an array of " + detail::shape_text(*this) + " has more elements than there can be");
    return product;
  }
  /// Returns the numbers as text, "[3, 4]".
  std::string text() const {
    std::string all = "[";
    for (std::size_t i = 0; i < rank_; ++i) {
      if (i != 0) all += ", ";
      all += std::to_string(values_[i]);
    }
    all += ']';
    return all;
  }
  /// Compares the numbers of dimensions, and each of them.
  friend constexpr bool operator==(const extents& a, const extents& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  // Constants must have no undefined part.
  constexpr void make_defined() noexcept {
    if (std::is_constant_evaluated()) values_.fill(0);
  }
  static constexpr void require_rank(std::size_t rank) {
    if (rank > max_rank)
      throw error(errc::invalid_argument,
                  std::to_string(rank) + " dimensions are asked for; an array has up to 32");
  }

  std::array<std::uint64_t, max_rank> values_;  // the first `rank_`
  std::size_t rank_ = 0;
};

/// A part of an array (hyperslab): `count` elements along each dimension, the first at `offset`, each
/// `stride` behind the one before. No stride: 1 everywhere.
struct slab {
  /// Place of the first element.
  extents offset;
  /// Number of elements along each dimension.
  extents count;
  /// Distance from an element to the next one in the array, along each dimension; none: 1 everywhere.
  extents stride = {};

  /// Returns the slab of all elements.
  static slab whole(const extents& dims) { return {extents::all(dims.rank(), 0), dims, {}}; }
};

}  // namespace perdure
