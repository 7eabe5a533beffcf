// An array that can be read a part at a time, wherever it lies: in a file of some format, or in a store.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <perdure/array/extents.hpp>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/data_type.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::formats {

/// A value beside an array; of text `bytes` is one text.
struct array_attribute {
  std::string key;
  data_type type;
  extents dims;
  std::string bytes;
};

struct array_description {
  std::string name;  ///< within a file of several arrays; "" in a file of one
  data_type type;    ///< of an element, without fixed dimensions
  extents dims;
  std::vector<std::string> dimensions = {};  ///< their names; none, or one for each
  extents chunk = {};  ///< the shape of the pieces in which it lies; empty: it lies in one
  std::vector<array_attribute> attributes = {};
};

class array_input {
 public:
  explicit array_input(array_description what) : what_(std::move(what)) {}
  array_input(const array_input&) = delete;
  array_input& operator=(const array_input&) = delete;
  virtual ~array_input() = default;

  const array_description& what() const noexcept { return what_; }
  /// The elements of a part without strides, row-major. `bad_input`, `damaged`, `io`.
  virtual void read(const slab& part, std::byte* to) = 0;
  /// All elements, where they have any length each.
  virtual variable_elements read_variable() { return {}; }

 protected:
  array_description what_;
};

/// The arrays of a file, sorted by name.
using array_inputs = std::vector<std::unique_ptr<array_input>>;

/// Takes the next bytes of a file that is written.
using byte_sink = std::function<void(std::string_view)>;

/// How many bytes of an array are handled at a time.
inline constexpr std::size_t piece_bytes = std::size_t{8} << 20;

inline std::uint64_t elements_in_piece(std::size_t element_size) noexcept {
  return std::max<std::uint64_t>(piece_bytes / std::max<std::size_t>(element_size, 1), 1);
}

}  // namespace perdure::formats
