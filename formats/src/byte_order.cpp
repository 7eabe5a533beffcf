// The order of an element's bytes.
#include "byte_order.hpp"

#include <algorithm>
#include <utility>

namespace perdure::formats {

namespace {

std::size_t count_of(const data_type& type) noexcept {
  std::size_t count = 1;
  for (const std::uint64_t n : type.dims()) count *= n;
  return count;
}

void add_swaps(std::vector<byte_swap>& swaps, const data_type& type, std::size_t offset) {
  const std::size_t count = count_of(type);
  const std::size_t size = type.base().size();
  switch (type.kind()) {
    case element_kind::structure:
      for (std::size_t i = 0; i < count; ++i)
        for (const data_field& field : type.fields())
          add_swaps(swaps, field.type, offset + i * size + field.offset);
      return;
    case element_kind::complex64:
    case element_kind::complex128:
      swaps.push_back({offset, size / 2, 2 * count});
      return;
    case element_kind::opaque:
    case element_kind::text:
    case element_kind::sequence:
      return;
    default:
      if (size > 1) swaps.push_back({offset, size, count});
  }
}

}  // namespace

std::vector<byte_swap> swaps_of(const data_type& type) {
  std::vector<byte_swap> swaps;
  add_swaps(swaps, type, 0);
  return swaps;
}

void swap_bytes(const std::vector<byte_swap>& swaps, std::byte* elements, std::uint64_t count,
                std::size_t element_size) {
  if (swaps.empty()) return;
  for (std::uint64_t i = 0; i < count; ++i, elements += element_size)
    for (const byte_swap& one : swaps)
      for (std::size_t k = 0; k < one.count; ++k) {
        std::byte* const begin = elements + one.offset + k * one.width;
        std::reverse(begin, begin + one.width);
      }
}

data_type naturally_aligned(std::vector<data_field> fields, std::size_t size) {
  std::size_t alignment = 1;
  bool is_natural = true;
  for (const data_field& field : fields) {
    alignment = std::max(alignment, field.type.alignment());
    is_natural = is_natural && field.offset % field.type.alignment() == 0;
  }
  if (!is_natural || size % alignment != 0) alignment = 1;
  return data_type::structure(std::move(fields), size, alignment);
}

}  // namespace perdure::formats
