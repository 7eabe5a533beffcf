// The numbers that elements consist of, one by one.
#pragma once

#include <cstddef>
#include <perdure/data_type.hpp>
#include <vector>

namespace perdure::formats {

struct number_place {
  element_kind kind;  ///< of complex numbers both parts are places of their own
  std::size_t offset;
  std::size_t size;
  bool is_exact;  ///< a double has each of its values
};

struct numbers_of_element {
  std::vector<number_place> places;
  /// Whether there is nothing else in the element, but fillers between fields.
  bool are_all = true;
};

/// Of an element that has up to 65,536 numbers; of others none.
numbers_of_element numbers_in(const data_type& type);
double number_at(const number_place& place, const std::byte* element) noexcept;

}  // namespace perdure::formats
