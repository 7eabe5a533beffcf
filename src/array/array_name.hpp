// How messages name an array.
#pragma once

#include <string>
#include <string_view>

namespace perdure::detail {

inline std::string quoted(std::string_view id) {
  return "the array \"" + std::string(id) + '"';
}

}  // namespace perdure::detail
