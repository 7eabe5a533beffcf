// Which alignments the API takes.
#pragma once

#include <bit>
#include <cstddef>
#include <string>

#include "c/boundary.hpp"

namespace perdure::c {

inline void require_alignment(std::size_t alignment) {
  // What the heap can align to: see heap::allocate.
  constexpr std::size_t most = std::size_t{2} << 20;
  if (!std::has_single_bit(alignment) || alignment > most)
    refuse("an alignment of " + std::to_string(alignment) + " is asked for: take a power of two up to 2 MiB");
}

}  // namespace perdure::c
