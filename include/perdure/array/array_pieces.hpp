// Walks an array from its first element to its last, some elements at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <perdure/array/extents.hpp>

namespace perdure {

/// The parts of an array in row-major order. The elements of each part lie beside each other and behind those
/// of the part before, so a file or a buffer can be filled from front to back:
///
///     for (perdure::array_pieces pieces(info.dims, 1 << 20); pieces.next_elements() != 0;) {
///       const perdure::slab part = pieces.next();   // up to 1 << 20 elements
///       ...
///     }
///
/// Both functions take a time that depends on the number of dimensions only. Not thread-safe.
class array_pieces {
 public:
  /// Each part has up to `most` elements, which is not 0. Where a part has several steps of the outermost
  /// dimension, its number of steps is a multiple of `grain` if `most` allows: the chunk of a chunked array,
  /// so that no chunk is read twice. `invalid_argument` if the number of elements does not fit 64 bits.
  array_pieces(const extents& dims, std::uint64_t most, std::uint64_t grain = 1)
      : dims_(dims), at_(extents::all(dims.rank(), 0)), left_(dims.elements()) {
    // The inner dimensions that a part has all of, and how many steps of the next one.
    std::uint64_t inner = 1;
    split_ = dims.rank();
    while (split_ > 0 && left_ != 0 && inner <= most / dims[split_ - 1]) inner *= dims[--split_];
    if (split_ == 0 || left_ == 0) return;
    --split_;
    steps_ = std::max<std::uint64_t>(most / inner, 1);
    if (split_ == 0 && steps_ > grain) steps_ -= steps_ % grain;
  }

  /// Returns the number of elements of the part that `next` returns; 0 at the end.
  std::uint64_t next_elements() const noexcept {
    if (steps_ == 0) return left_;
    std::uint64_t count = left_ == 0 ? 0 : steps_now();
    for (std::size_t i = split_ + 1; i < dims_.rank(); ++i) count *= dims_[i];
    return count;
  }
  /// Returns the next part. Must not be called at the end.
  slab next() {
    slab part{at_, extents::all(dims_.rank(), 1), {}};
    left_ -= next_elements();
    if (steps_ == 0) {  // all at once
      part.count = dims_;
      return part;
    }
    const std::uint64_t steps = steps_now();
    part.count[split_] = steps;
    for (std::size_t i = split_ + 1; i < dims_.rank(); ++i) part.count[i] = dims_[i];
    at_[split_] += steps;
    for (std::size_t i = split_; i > 0 && at_[i] == dims_[i]; --i) {
      at_[i] = 0;
      ++at_[i - 1];
    }
    return part;
  }

 private:
  std::uint64_t steps_now() const noexcept { return std::min(steps_, dims_[split_] - at_[split_]); }

  extents dims_;
  extents at_;
  std::uint64_t left_;
  std::size_t split_ = 0;    // the dimension of which parts are some steps
  std::uint64_t steps_ = 0;  // 0: one part is all
};

}  // namespace perdure
