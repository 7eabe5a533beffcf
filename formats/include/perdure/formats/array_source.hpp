// An array that can be read part by part, wherever it lies: in a file of some format, in a store, in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <perdure/array/array_pieces.hpp>
#include <perdure/array/array_values.hpp>
#include <perdure/array/array_view.hpp>
#include <perdure/array/extents.hpp>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/data_type.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace perdure::formats {

/// An attribute with its key.
struct array_attribute {
  std::string key;    ///< name of the attribute
  data_type type;     ///< type of an element of the value
  extents dims;       ///< empty for a single value
  std::string bytes;  ///< the text itself, where the attribute is one
};

/// Facts about an array that are known before its elements are read.
struct array_description {
  std::string name;                          ///< within a file of several arrays; empty in a file of one
  data_type type;                            ///< element type, without fixed dimensions
  extents dims;                              ///< length of each dimension
  std::vector<std::string> dimensions = {};  ///< names of the dimensions: none, or one for each
  extents chunk = {};  ///< shape of the pieces in which the elements are stored; empty: one piece
  std::vector<array_attribute> attributes = {};  ///< the attributes, with their values
};

/// Something that a file has and that is not read, or that an array has and a file cannot hold.
struct loss {
  std::string
      array;  ///< name of the array in the file; of a group's attributes for a group (group_attributes.hpp)
  std::string what;  ///< a sentence without a subject, such as "is skipped: its elements are references"
};

/// A readable array.
///
/// Thread safety: sources of one file are used by one thread at a time.
class array_source {
 public:
  /// Makes a source of an array of which these facts are known.
  explicit array_source(array_description what) : what_(std::move(what)) {}
  array_source(const array_source&) = delete;
  array_source& operator=(const array_source&) = delete;
  virtual ~array_source() = default;

  /// Returns the facts about the array.
  const array_description& what() const noexcept { return what_; }
  /// Reads the elements of a part, row-major and without gaps, to `to`. The part has no strides and lies
  /// inside the array. Must not be called for elements of variable length. `bad_input`, `damaged`, `io`,
  /// `std::bad_alloc`.
  virtual void read(const slab& part, std::byte* to) = 0;
  /// Reads all elements of an array of texts or lists. Errors as `read`.
  virtual variable_elements read_variable() { return {}; }
  /// Returns the parts that are stored, which may overlap, of an array that is zero outside of them. Returns
  /// nothing if most of the array is stored, or if that is not known. Errors as `read`; `unsupported` for an
  /// array of too many elements that are neither zero nor stored.
  virtual std::optional<std::vector<slab>> stored_parts() { return {}; }

 protected:
  array_description what_;  ///< facts about the array, set by the derived class
};

/// Arrays of a file or of a group, sorted by name.
using array_sources = std::vector<std::unique_ptr<array_source>>;

/// Takes the next bytes of a file that is written from front to back.
using byte_sink = std::function<void(std::string_view)>;

/// Returns how many elements of this size are handled at a time: about 8 MiB of them.
inline std::uint64_t elements_in_piece(std::size_t element_size) noexcept {
  constexpr std::size_t piece_bytes = std::size_t{8} << 20;
  return std::max<std::uint64_t>(piece_bytes / std::max<std::size_t>(element_size, 1), 1);
}

/// Returns the parts in which all elements of an array are read: about 8 MiB each, whole chunks where they
/// fit.
inline array_pieces pieces_of(const array_description& what) {
  return {what.dims, elements_in_piece(what.type.size()), what.chunk.empty() ? 1 : what.chunk[0]};
}

/// Returns an array in memory as a source: to write it to a file, or to compare it with another. The elements
/// must stay where they are while the source is used.
std::unique_ptr<array_source> source_of(std::string name, const data_type& type,
                                        const const_untyped_view& from);
/// Returns the array of a view as a source, as above.
template <array_element T, std::size_t Rank>
std::unique_ptr<array_source> source_of(std::string name, const array_view<T, Rank>& from) {
  return source_of(std::move(name), perdure::detail::base_type_of<T>(),
                   perdure::detail::elements_of<const_untyped_view>(from));
}

/// Copies all elements to `to`, which has any strides. `wrong_type` if the array has another element type
/// (nothing is converted), `invalid_argument` if it has another shape; and the errors of
/// `array_source::read`.
void load(array_source& from, const data_type& type, const untyped_view& to);
/// Copies all elements to a view. Errors as above.
template <array_element T, std::size_t Rank>
  requires(!std::is_const_v<T>)
void load(array_source& from, const array_view<T, Rank>& to) {
  load(from, perdure::detail::base_type_of<T>(), perdure::detail::elements_of<untyped_view>(to));
}
/// Returns all elements, row-major. Errors as above.
template <array_element T>
  requires(!std::is_same_v<T, bool>)
std::vector<T> load(array_source& from) {
  extents dims = from.what().dims;
  const extents fixed = perdure::detail::fixed_dims_of<T>();
  // A shape that does not end in the element's own dimensions is refused by `load`.
  extents outer(dims.span().first(dims.rank() - std::min(dims.rank(), fixed.rank())));
  std::vector<T> elements(outer.elements());
  load(from, array_view<T>(elements.data(), outer));
  return elements;
}
/// Returns all elements of an array of texts. `wrong_type` for any other array.
std::vector<std::string> load_texts(array_source& from);

}  // namespace perdure::formats
