// The numbers that elements consist of, one by one.
#pragma once

#include <cstddef>
#include <perdure/data_type.hpp>
#include <vector>

namespace perdure::formats {

struct number_place {
  element_kind kind;  ///< kind of the number; a complex number has a place for each part
  std::size_t offset;
  std::size_t size;
  bool is_exact;  ///< a double has each of its values
};

struct numbers_of_element {
  std::vector<number_place> places;
  /// Whether there is nothing else in the element, but fillers between fields.
  bool are_all = true;
};

/// Returns the numbers of an element; none if it has more than 65,536.
numbers_of_element numbers_in(const data_type& type);
double number_at(const number_place& place, const std::byte* element) noexcept;

}  // namespace perdure::formats
