// The grid that chunks divide an array into.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <perdure/array/extents.hpp>
#include <utility>

namespace perdure {

/// Grid of chunks of one shape that cover an array, the first of them at its first element. Chunks at the end
/// of a dimension may be cut. A chunk's *place* is its number along each dimension. Copying it is cheap.
/// Thread-safe: it never changes.
class chunk_grid {
 public:
  /// Makes the grid of an array. `dims` and `chunk` have the same number of dimensions, and no number of
  /// `chunk` is 0.
  chunk_grid(const extents& dims, const extents& chunk) : dims_(dims), chunk_(chunk) {}

  /// Returns the elements of the array, or of a chunk, along each dimension.
  ///@{
  const extents& dims() const noexcept { return dims_; }
  const extents& chunk() const noexcept { return chunk_; }
  ///@}

  /// Returns the place of the chunk with the element at `offset`.
  extents place_of(const extents& offset) const {
    extents place = offset;
    for (std::size_t i = 0; i < dims_.rank(); ++i) place[i] = offset[i] / chunk_[i];
    return place;
  }
  /// Returns the place's number in row-major order of the grid.
  std::uint64_t number_of(const extents& place) const noexcept {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < dims_.rank(); ++i)
      number = number * ((dims_[i] + chunk_[i] - 1) / chunk_[i]) + place[i];
    return number;
  }
  /// Returns the elements of the chunk at a place, as far as the array has them.
  slab part_at(const extents& place) const {
    slab part{place, chunk_, {}};
    for (std::size_t i = 0; i < dims_.rank(); ++i) {
      part.offset[i] = place[i] * chunk_[i];
      part.count[i] = std::min(chunk_[i], dims_[i] - part.offset[i]);
    }
    return part;
  }

  /// Returns the number of chunks that have elements of the box at `offset`, which is inside the array. At
  /// most 2^64 - 1.
  std::uint64_t count_in(const extents& offset, const extents& count) const noexcept {
    std::uint64_t chunks = 1;
    for (std::size_t i = 0; i < dims_.rank(); ++i) {
      if (count[i] == 0) return 0;
      const std::uint64_t along = (offset[i] + count[i] - 1) / chunk_[i] - offset[i] / chunk_[i] + 1;
      if (__builtin_mul_overflow(chunks, along, &chunks)) return ~std::uint64_t{0};
    }
    return chunks;
  }
  /// Calls `visit(place)` for each of these chunks, in row-major order.
  template <class Visit>
  void for_each_in(const extents& offset, const extents& count, Visit&& visit) const {
    const std::size_t rank = dims_.rank();
    if (count_in(offset, count) == 0) return;
    const extents first = place_of(offset);
    extents last = first;
    for (std::size_t i = 0; i < rank; ++i) last[i] = (offset[i] + count[i] - 1) / chunk_[i];
    for (extents place = first;;) {
      visit(std::as_const(place));
      std::size_t i = rank;
      while (i > 0 && place[i - 1] == last[i - 1]) {
        --i;
        place[i] = first[i];
      }
      if (i == 0) return;
      ++place[i - 1];
    }
  }

 private:
  extents dims_;
  extents chunk_;
};

}  // namespace perdure
