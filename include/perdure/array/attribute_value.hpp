// Values of attributes: numbers, texts, lists of texts, and null.
#pragma once

#include <cstdint>
#include <perdure/array/extents.hpp>
#include <perdure/data_type.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

/// Elements of variable length (texts, lists), one after the other: element `i` is the bytes
/// `[ends[i - 1], ends[i])` of `bytes`, and element 0 begins at byte 0.
struct variable_elements {
  /// Where each element ends, in bytes from the beginning of `bytes`.
  std::vector<std::uint64_t> ends;
  /// All elements, one behind the other.
  std::string bytes;
};

/// A value beside an array: units, a description, a table.
///
/// `bytes` depends on type and dimensions:
///
/// - elements of fixed size: the elements, row-major;
/// - one text or one list (`dims` is empty): the text itself, or the elements of the list;
/// - several texts or lists: what `pack_elements` returns, and `unpack_elements` reads;
/// - null (`null_type`): nothing.
struct attribute_value {
  /// Type of an element, without fixed dimensions.
  data_type type;
  extents dims;  ///< empty for a single value
  /// The value, as above.
  std::string bytes;
};

/// Returns the bytes of an attribute that has several texts or lists: 8 bytes for the end of each element,
/// then the elements one after the other.
std::string pack_elements(const variable_elements& elements);
/// Returns the texts or lists of an attribute with these dimensions. `bad_input` if `bytes` were not made by
/// `pack_elements` from as many elements.
variable_elements unpack_elements(const extents& dims, std::string_view bytes);

/// Returns the type of an attribute that has no value, such as null in JSON. `of` is the type that its value
/// would have: HDF5 keeps one. The default `of` means that there is none.
data_type null_type(const data_type& of = {});
/// Returns whether `type` is that of an attribute without a value.
bool is_null(const data_type& type) noexcept;
/// Returns what `null_type` was given. `invalid_argument` if `type` is no such type.
data_type type_without_value(const data_type& type);

}  // namespace perdure
