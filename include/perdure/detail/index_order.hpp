// How messages write shapes and places of arrays: as C and C++ do, or as Fortran does.
#pragma once

#include <cstdint>
#include <perdure/array/extents.hpp>
#include <string>
#include <vector>

namespace perdure::detail {

enum class index_order : std::uint8_t {
  c,        ///< the slowest dimension first, counted from 0: [0, 2]
  fortran,  ///< the fastest dimension first, counted from 1: (3, 1)
};

/// An order for the messages that this thread writes as long as the object lives.
class messages_in {
 public:
  explicit messages_in(index_order order) noexcept;
  messages_in(const messages_in&) = delete;
  messages_in& operator=(const messages_in&) = delete;
  ~messages_in();

  /// Returns the order of this thread's messages.
  static index_order now() noexcept;

 private:
  index_order before_;
};

/// Returns the number of elements along each dimension as messages write it: "[3, 4]", or "(4, 3)".
std::string shape_text(const extents& dims);
/// Returns an element's index along each dimension: "[0, 2]", or "(3, 1)".
std::string place_text(const extents& offset);
/// Returns names of dimensions, each in quotation marks: "y", "x", or "x", "y".
std::string names_text(const std::vector<std::string>& names);

}  // namespace perdure::detail
