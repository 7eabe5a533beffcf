// The order of the bytes of elements, which differs between machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/data_type.hpp>
#include <vector>

namespace perdure::formats {

/// Which bytes of an element are to be reversed: `count` numbers of `width` bytes each from `offset` on.
struct byte_swap {
  std::size_t offset;
  std::size_t width;
  std::size_t count;
};

/// All numbers of a type that have more than one byte.
std::vector<byte_swap> swaps_of(const data_type& type);
void swap_bytes(const std::vector<byte_swap>& swaps, std::byte* elements, std::uint64_t count,
                std::size_t element_size);

/// A struct of these fields, aligned as C would align it if they lie so; else to 1.
data_type naturally_aligned(std::vector<data_field> fields, std::size_t size);

}  // namespace perdure::formats
