// The columns of elements in a table of text.
#pragma once

#include <cstddef>
#include <perdure/data_type.hpp>
#include <string>
#include <vector>

namespace perdure::formats {

/// A number or a text of fixed length that an element has.
struct leaf {
  std::string name;
  data_type type;
  std::size_t offset;
};

/// Returns the leaves of an element in their order. `unsupported` for more than 65,536.
std::vector<leaf> leaves_of(const data_type& type);

}  // namespace perdure::formats
