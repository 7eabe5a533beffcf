// Row by row, where a row is as long as both sides allow.
#include "array/region_copy.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace perdure::detail {

namespace {

/// The same region with fewer dimensions: those of one element go, and those join that lie beside each other.
struct joined_region {
  std::size_t rank = 0;
  std::array<std::uint64_t, max_rank> count{};
  std::array<std::ptrdiff_t, max_rank> to{};
  std::array<std::ptrdiff_t, max_rank> from{};

  void add(std::uint64_t n, std::ptrdiff_t to_stride, std::ptrdiff_t from_stride) {
    if (n == 1) return;
    const auto inner = static_cast<std::ptrdiff_t>(n);
    // The dimension before has this one inside.
    if (rank != 0 && to[rank - 1] == inner * to_stride && from[rank - 1] == inner * from_stride) {
      count[rank - 1] *= n;
      to[rank - 1] = to_stride;
      from[rank - 1] = from_stride;
      return;
    }
    count[rank] = n;
    to[rank] = to_stride;
    from[rank] = from_stride;
    ++rank;
  }
};

/// Calls `row(to, from)` for each place of the outer dimensions.
template <class Row>
void for_rows(const joined_region& region, std::size_t outer, std::ptrdiff_t to, std::ptrdiff_t from,
              Row&& row) {
  std::array<std::uint64_t, max_rank> index{};
  for (;;) {
    row(to, from);
    std::size_t dimension = outer;
    for (;;) {
      if (dimension == 0) return;
      --dimension;
      to += region.to[dimension];
      from += region.from[dimension];
      if (++index[dimension] < region.count[dimension]) break;
      to -= region.to[dimension] * static_cast<std::ptrdiff_t>(region.count[dimension]);
      from -= region.from[dimension] * static_cast<std::ptrdiff_t>(region.count[dimension]);
      index[dimension] = 0;
    }
  }
}

template <class Word>
void copy_words(std::byte* to, std::ptrdiff_t to_stride, const std::byte* from, std::ptrdiff_t from_stride,
                std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    std::memcpy(to, &word, sizeof word);
    to += to_stride;
    from += from_stride;
  }
}

void copy_row(std::size_t element_size, std::byte* to, std::ptrdiff_t to_stride, const std::byte* from,
              std::ptrdiff_t from_stride, std::uint64_t count) {
  switch (element_size) {
    case 1:
      return copy_words<std::uint8_t>(to, to_stride, from, from_stride, count);
    case 2:
      return copy_words<std::uint16_t>(to, to_stride, from, from_stride, count);
    case 4:
      return copy_words<std::uint32_t>(to, to_stride, from, from_stride, count);
    case 8:
      return copy_words<std::uint64_t>(to, to_stride, from, from_stride, count);
    default:
      break;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    std::memcpy(to, from, element_size);
    to += to_stride;
    from += from_stride;
  }
}

bool has_none(const extents& count) noexcept {
  for (const std::uint64_t n : count)
    if (n == 0) return true;
  return false;
}

}  // namespace

bool is_dense(const extents& dims, std::span<const std::ptrdiff_t> strides,
              std::size_t element_size) noexcept {
  auto expected = static_cast<std::ptrdiff_t>(element_size);
  for (std::size_t i = dims.rank(); i-- > 0;) {
    if (dims[i] != 1 && strides[i] != expected) return false;
    expected *= static_cast<std::ptrdiff_t>(dims[i]);
  }
  return true;
}

void copy_region(const extents& count, std::size_t element_size, std::byte* to,
                 std::span<const std::ptrdiff_t> to_strides, const std::byte* from,
                 std::span<const std::ptrdiff_t> from_strides) {
  if (has_none(count)) return;
  joined_region region;
  for (std::size_t i = 0; i < count.rank(); ++i) region.add(count[i], to_strides[i], from_strides[i]);
  const auto one = static_cast<std::ptrdiff_t>(element_size);
  std::size_t outer = region.rank;
  if (outer != 0 && region.to[outer - 1] == one && region.from[outer - 1] == one) {
    --outer;
    const std::size_t bytes = region.count[outer] * element_size;
    return for_rows(region, outer, 0, 0,
                    [&](std::ptrdiff_t t, std::ptrdiff_t f) { std::memcpy(to + t, from + f, bytes); });
  }
  if (outer == 0) {
    std::memcpy(to, from, element_size);
    return;
  }
  --outer;
  for_rows(region, outer, 0, 0, [&](std::ptrdiff_t t, std::ptrdiff_t f) {
    copy_row(element_size, to + t, region.to[outer], from + f, region.from[outer], region.count[outer]);
  });
}

void fill_region(const extents& count, std::size_t element_size, std::byte* to,
                 std::span<const std::ptrdiff_t> to_strides, std::byte value) {
  if (has_none(count)) return;
  joined_region region;
  for (std::size_t i = 0; i < count.rank(); ++i) region.add(count[i], to_strides[i], to_strides[i]);
  std::size_t outer = region.rank;
  std::size_t bytes = element_size;
  if (outer != 0 && region.to[outer - 1] == static_cast<std::ptrdiff_t>(element_size)) {
    --outer;
    bytes *= region.count[outer];
  }
  for_rows(region, outer, 0, 0,
           [&](std::ptrdiff_t t, std::ptrdiff_t) { std::memset(to + t, static_cast<int>(value), bytes); });
}

}  // namespace perdure::detail
