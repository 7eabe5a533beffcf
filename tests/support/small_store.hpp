// What most tests make their stores with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/datastore.hpp>

namespace perdure {

inline constexpr std::size_t mib = std::size_t{1} << 20;
inline constexpr std::size_t gib = std::size_t{1} << 30;

/// ThreadSanitizer leaves little address space: too little for two stores of the usual capacity, or one that
/// is pinned.
inline store_options small_store(backing kind = backing::private_memory) {
  store_options options;
  options.capacity = gib;
  options.backing = kind;
  return options;
}

/// With home files of that size, so that there are several.
inline store_options store_of_files(std::uint64_t bytes) {
  store_options options = small_store();
  options.home_file_size = bytes;
  return options;
}

}  // namespace perdure
