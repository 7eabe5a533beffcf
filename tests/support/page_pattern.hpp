// Pages whose content follows from one number, so that a whole page can be checked.
#pragma once

#include <cstdint>
#include <cstring>

#include "segment/segment.hpp"
#include "support/random_stream.hpp"

namespace perdure {

/// Number 0 stands for a page of zeros.
inline void fill_page(std::byte* page, std::uint64_t number) {
  if (number == 0) {
    std::memset(page, 0, page_size);
    return;
  }
  for (std::size_t i = 0; i < page_size / 8; ++i) {
    const std::uint64_t word = mix(number * 1024 + i);
    std::memcpy(page + 8 * i, &word, sizeof word);
  }
}

inline bool holds(const std::byte* page, std::uint64_t number) {
  alignas(64) std::byte expected[page_size];
  fill_page(expected, number);
  return std::memcmp(page, expected, page_size) == 0;
}

}  // namespace perdure
