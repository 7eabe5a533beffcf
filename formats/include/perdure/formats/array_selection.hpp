// Parts of arrays as NumPy writes them: "0:10, :, 3".
#pragma once

#include <cstdint>
#include <perdure/array/extents.hpp>
#include <string_view>
#include <vector>

namespace perdure::formats {

/// Part of an array: numbers, FROM:TO, FROM:TO:STEP and "..." between commas. Negative numbers count from the
/// end. A dimension of which one element is chosen by its number is dropped from the shape.
class array_selection {
 public:
  /// Selects all of an array.
  array_selection() = default;
  /// Parses what stands between the brackets. `invalid_argument`.
  explicit array_selection(std::string_view text);

  /// Returns whether all of the array is selected.
  bool is_whole() const noexcept { return selections_.empty(); }
  /// A selection from an array of a certain shape.
  struct selected {
    slab where;                    ///< part of the array, with the array's rank
    std::vector<bool> is_dropped;  ///< for each dimension
    extents dims() const;          ///< shape of the selected part
  };
  /// Applies the selection to an array of that shape. Like in NumPy, ranges end at the array's ends;
  /// `invalid_argument` for an element outside, and for more dimensions than the array has.
  selected of(const extents& dims) const;

 private:
  struct selection {
    enum class kind { one, range, rest };
    kind what = kind::range;
    bool has_begin = false;
    bool has_end = false;
    std::int64_t begin = 0;  // or the one
    std::int64_t end = 0;
    std::int64_t step = 1;
  };
  static selection parse_one(std::string_view text);
  static void select(const selection& one, std::uint64_t extent, std::size_t dimension, slab& where);

  std::vector<selection> selections_;
};

}  // namespace perdure::formats
