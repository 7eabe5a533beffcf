// Records of fixed size from a stream of bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <perdure/workload/byte_stream.hpp>

namespace perdure::graph::formats {

/// Reads until `size` bytes are there or the stream has ended; how many there are.
inline std::size_t read_whole(workload::byte_stream& stream, void* out, std::size_t size) {
  std::size_t have = 0;
  while (have < size) {
    const std::size_t got = stream.read(static_cast<char*>(out) + have, size - have);
    if (got == 0) break;
    have += got;
  }
  return have;
}

/// A number as it stands in a file, where the smallest byte is first.
template <class Number>
Number little_endian(const void* bytes) noexcept {
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (std::endian::native == std::endian::big) {
    if constexpr (sizeof value == 8)
      value = static_cast<Number>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
    else if constexpr (sizeof value == 4)
      value = static_cast<Number>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
  }
  return value;
}

}  // namespace perdure::graph::formats
