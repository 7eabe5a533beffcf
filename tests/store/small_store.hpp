// What most tests of stores make theirs with.
#pragma once

#include <cstddef>
#include <perdure/datastore.hpp>

namespace perdure {

inline constexpr std::size_t mib = std::size_t{1} << 20;

inline store_options small() {
  store_options options;
  options.capacity = std::size_t{1} << 30;
  return options;
}

}  // namespace perdure
