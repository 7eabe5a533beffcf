// NumPy's names of element types, as headers of .npy files have them.
#pragma once

#include <cstdint>
#include <perdure/data_type.hpp>
#include <string>
#include <vector>

#include "byte_order.hpp"
#include "python_literal.hpp"

namespace perdure::formats {

/// An element as a file has it.
struct numpy_type {
  data_type type;  ///< without fixed dimensions: a text of fixed length is of characters
  /// Dimensions of an element itself: the length of such a text, also if it is 1 or 0.
  std::vector<std::uint64_t> dims = {};
  std::size_t size = 0;                  ///< bytes in the file
  std::vector<byte_swap> swaps = {};     ///< parts in the other byte order
  bool is_utf32 = false;                 ///< texts of `size` / 4 characters, filled up with zeros
  std::vector<std::string> losses = {};  ///< parts that types here lack
};

/// Parses `'<f8'` or a list of fields. `bad_input`, `unsupported` (Python objects, dates, long double).
numpy_type parse_numpy_type(const python_literal& descr);
/// Returns a type in Python's notation: `'<f8'`, `[('id', '<u8'), …]`. `unsupported` if NumPy has no such
/// type.
std::string numpy_type_name(const data_type& type);

}  // namespace perdure::formats
