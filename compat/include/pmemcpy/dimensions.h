// How many elements there are along each dimension, the slowest first; where a part begins, and how large it
// is.
#pragma once

#include <concepts>
#include <cstddef>
#include <perdure/array/extents.hpp>
#include <vector>

namespace pmemcpy {

class Dimensions {
 public:
  Dimensions() = default;
  /// Makes dimensions of integers of any type.
  template <std::integral First, std::integral... More>
  Dimensions(First first, More... more)  // NOLINT(google-explicit-constructor): as pMEMCPY has it
      : dims_{static_cast<std::size_t>(first), static_cast<std::size_t>(more)...} {}
  Dimensions(int ndims, const std::size_t* dims) : dims_(dims, dims + ndims) {}

  std::size_t count() const noexcept {
    std::size_t product = 1;
    for (const std::size_t one : dims_) product *= one;
    return product;
  }
  std::size_t* data() noexcept { return dims_.data(); }
  const std::size_t* data() const noexcept { return dims_.data(); }
  template <std::integral Index>
  std::size_t operator[](Index i) const noexcept {
    return dims_[static_cast<std::size_t>(i)];
  }

  /// Ours. `invalid_argument` for more than 32.
  perdure::extents shape() const {
    perdure::extents all;
    for (const std::size_t one : dims_) all.push_back(one);
    return all;
  }

 private:
  std::vector<std::size_t> dims_;
};

using Offsets = Dimensions;
using Sizes = Dimensions;

}  // namespace pmemcpy
