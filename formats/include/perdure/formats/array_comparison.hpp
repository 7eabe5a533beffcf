// Differences between two arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <vector>

namespace perdure::formats {

/// Outcome of a comparison of two arrays.
struct array_difference {
  bool is_comparable = true;            ///< both have the same type and shape; else nothing below is known
  std::uint64_t elements = 0;           ///< in each array
  std::uint64_t differing = 0;          ///< elements that differ
  std::optional<double> largest = {};   ///< difference of two numbers; infinite beside NaN
  std::vector<std::string> attributes;  ///< keys of those that differ

  /// Returns whether the arrays and their attributes are the same.
  bool is_same() const noexcept { return is_comparable && differing == 0 && attributes.empty(); }
};

/// Compares two arrays element by element, each read once; elements that neither array stores
/// (`array_source::stored_parts`) are not read. Numbers that differ by at most `tolerance` are the
/// same, and NaN is the same as NaN; fillers between fields of structs do not count. Errors as
/// `array_source::read`.
array_difference compare_arrays(array_source& a, array_source& b, double tolerance = 0);

}  // namespace perdure::formats
