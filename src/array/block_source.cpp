// Gathers the bytes of blocks from a program's memory and functions.
#include "array/block_source.hpp"

#include <algorithm>
#include <cstring>

#include "array/array_geometry.hpp"
#include "array/region_copy.hpp"

namespace perdure::detail {

namespace {

std::uint64_t elements_gathered(std::size_t element_size) {
  return std::max<std::size_t>(gathered_bytes / std::max<std::size_t>(element_size, 1), 1);
}

}  // namespace

void dense_source::gather(std::byte* to) {
  std::memcpy(to, all_.data() + done_, all_.size() - done_);
  done_ = all_.size();
}

strided_source::strided_source(const const_untyped_view& from, std::size_t element_size)
    : from_(from),
      element_size_(element_size),
      bytes_(bytes_of(from.dims, element_size)),
      is_dense_(is_dense(from.dims, from.strides, element_size)),
      pieces_(from.dims, elements_gathered(element_size)) {}

std::size_t strided_source::next_bytes() const noexcept {
  return pieces_.next_elements() * element_size_;
}

void strided_source::gather(std::byte* to) {
  const slab part = pieces_.next();
  const std::byte* begin = from_.data;
  for (std::size_t i = 0; i < part.offset.rank(); ++i)
    begin += static_cast<std::ptrdiff_t>(part.offset[i]) * from_.strides[i];
  copy_region(part.count, element_size_, to, row_major_strides(part.count, element_size_), begin,
              from_.strides);
}

called_source::called_source(const extents& dims, std::size_t element_size, const element_source& source)
    : element_size_(element_size),
      bytes_(bytes_of(dims, element_size)),
      source_(source),
      pieces_(dims, elements_gathered(element_size)) {}

std::size_t called_source::next_bytes() const noexcept {
  return pieces_.next_elements() * element_size_;
}

}  // namespace perdure::detail
