// Units of sizes, as pMEMCPY's programs name them.
#pragma once

#include <cstddef>

namespace pmemcpy {

struct SizeType {
  static constexpr std::size_t BYTES = 1;
  static constexpr std::size_t KB = std::size_t{1} << 10;
  static constexpr std::size_t MB = std::size_t{1} << 20;
  static constexpr std::size_t GB = std::size_t{1} << 30;
  static constexpr std::size_t TB = std::size_t{1} << 40;
};

}  // namespace pmemcpy
