// Parts of a number.
#pragma once

#include <cstdint>

namespace perdure::graph::detail {

/// Returns `all * part / parts`, rounded down.
inline std::uint64_t portion(std::uint64_t all, std::uint64_t part, std::uint64_t parts) noexcept {
  __extension__ using wide_number = unsigned __int128;
  return static_cast<std::uint64_t>(wide_number{all} * part / parts);
}

}  // namespace perdure::graph::detail
