// Compression of blocks by lz4 and zstd, where the build has them.
#include "array/block_codec.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <perdure/error.hpp>

#include "array/array_name.hpp"

#if PERDURE_HAS_LZ4
#include <lz4.h>
#include <lz4hc.h>
#endif
#if PERDURE_HAS_ZSTD
#include <zstd.h>
#endif

namespace perdure {

namespace {

struct codec_name {
  compression codec;
  std::string_view name;
};
constexpr codec_name codec_names[] = {
    {compression::none, "none"}, {compression::lz4, "lz4"}, {compression::zstd, "zstd"}};

struct layout_name {
  array_layout layout;
  std::string_view name;
};
constexpr layout_name layout_names[] = {{array_layout::blocks, "blocks"},
                                        {array_layout::contiguous, "contiguous"},
                                        {array_layout::chunked, "chunked"}};

}  // namespace

std::string_view to_string(compression codec) noexcept {
  for (const codec_name& one : codec_names)
    if (one.codec == codec) return one.name;
  return "unknown";
}

std::string_view to_string(array_layout layout) noexcept {
  for (const layout_name& one : layout_names)
    if (one.layout == layout) return one.name;
  return "unknown";
}

compression compression_named(std::string_view name) {
  for (const codec_name& one : codec_names)
    if (one.name == name) return one.codec;
  throw error(errc::invalid_argument,
              "there is no compression '" + std::string(name) + "': take none, lz4 or zstd");
}

array_layout array_layout_named(std::string_view name) {
  for (const layout_name& one : layout_names)
    if (one.name == name) return one.layout;
  throw error(errc::invalid_argument,
              "there is no layout '" + std::string(name) + "': take blocks, contiguous or chunked");
}

bool is_available(compression codec) noexcept {
  switch (codec) {
    case compression::none:
      return true;
    case compression::lz4:
      return PERDURE_HAS_LZ4 != 0;
    case compression::zstd:
      return PERDURE_HAS_ZSTD != 0;
  }
  return false;
}

namespace detail {

namespace {

/// Byte b of element i comes to b * elements + i; what is no whole element stays at the end.
void shuffle_bytes(std::span<const std::byte> from, std::byte* to, std::size_t element_size) {
  const std::size_t elements = from.size() / element_size;
  for (std::size_t b = 0; b < element_size; ++b)
    for (std::size_t i = 0; i < elements; ++i) to[b * elements + i] = from[i * element_size + b];
  const std::size_t rest = elements * element_size;
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(rest), from.end(), to + rest);
}

void unshuffle_bytes(const std::byte* from, std::span<std::byte> to, std::size_t element_size) {
  const std::size_t elements = to.size() / element_size;
  for (std::size_t b = 0; b < element_size; ++b)
    for (std::size_t i = 0; i < elements; ++i) to[i * element_size + b] = from[b * elements + i];
  const std::size_t rest = elements * element_size;
  std::copy(from + rest, from + to.size(), to.begin() + static_cast<std::ptrdiff_t>(rest));
}

#if PERDURE_HAS_LZ4
// Of one piece: lz4 counts in int.
constexpr std::size_t most_lz4 = std::size_t{1} << 30;

struct piece_header {
  std::uint64_t bytes;
  std::uint64_t stored;
};

std::vector<std::byte> encode_lz4(std::span<const std::byte> bytes, int level) {
  std::vector<std::byte> result;
  do {
    const std::span<const std::byte> piece = bytes.first(std::min(bytes.size(), most_lz4));
    bytes = bytes.subspan(piece.size());
    const std::size_t at = result.size();
    const int bound = LZ4_compressBound(static_cast<int>(piece.size()));
    result.resize(at + sizeof(piece_header) + static_cast<std::size_t>(bound));
    auto* const to = reinterpret_cast<char*>(result.data() + at + sizeof(piece_header));
    const auto* const from = reinterpret_cast<const char*>(piece.data());
    const int size = static_cast<int>(piece.size());
    const int stored = level > 1 ? LZ4_compress_HC(from, to, size, bound, level)
                                 : LZ4_compress_default(from, to, size, bound);
    if (stored <= 0 && size != 0) throw error(errc::io, "lz4 could not compress a block");
    const piece_header header{piece.size(), static_cast<std::uint64_t>(stored)};
    std::memcpy(result.data() + at, &header, sizeof header);
    result.resize(at + sizeof header + static_cast<std::size_t>(stored));
  } while (!bytes.empty());
  return result;
}

bool decode_lz4(std::span<const std::byte> from, std::span<std::byte> to) {
  while (!from.empty()) {
    piece_header header{};
    if (from.size() < sizeof header) return false;
    std::memcpy(&header, from.data(), sizeof header);
    from = from.subspan(sizeof header);
    if (header.stored > from.size() || header.bytes > to.size() || header.bytes > most_lz4) return false;
    const int got =
        LZ4_decompress_safe(reinterpret_cast<const char*>(from.data()), reinterpret_cast<char*>(to.data()),
                            static_cast<int>(header.stored), static_cast<int>(header.bytes));
    if (got < 0 || static_cast<std::uint64_t>(got) != header.bytes) return false;
    from = from.subspan(header.stored);
    to = to.subspan(header.bytes);
  }
  return to.empty();
}
#endif

#if PERDURE_HAS_ZSTD
std::vector<std::byte> encode_zstd(std::span<const std::byte> bytes, int level) {
  std::vector<std::byte> result(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress(result.data(), result.size(), bytes.data(), bytes.size(), level == 0 ? 3 : level);
  if (ZSTD_isError(size) != 0)
    throw error(errc::io, std::string("zstd could not compress a block: ") + ZSTD_getErrorName(size));
  result.resize(size);
  return result;
}

bool decode_zstd(std::span<const std::byte> from, std::span<std::byte> to) {
  const std::size_t size = ZSTD_decompress(to.data(), to.size(), from.data(), from.size());
  return ZSTD_isError(size) == 0 && size == to.size();
}
#endif

}  // namespace

void require_available(compression codec) {
  if (is_available(codec)) return;
  throw error(errc::unsupported, "this build of the library has no compression by " +
                                     std::string(to_string(codec)) +
                                     ": build it with the library's headers installed, or take another");
}

std::vector<std::byte> encode(std::span<const std::byte> bytes, std::size_t element_size,
                              const encoding& how) {
  require_available(how.codec);
  std::vector<std::byte> shuffled;
  if (how.shuffle && element_size > 1) {
    shuffled.resize(bytes.size());
    shuffle_bytes(bytes, shuffled.data(), element_size);
    bytes = shuffled;
  }
#if PERDURE_HAS_LZ4
  if (how.codec == compression::lz4) return encode_lz4(bytes, how.level);
#endif
#if PERDURE_HAS_ZSTD
  if (how.codec == compression::zstd) return encode_zstd(bytes, how.level);
#endif
  return {bytes.begin(), bytes.end()};
}

void decode(std::span<const std::byte> from, std::span<std::byte> to, std::size_t element_size,
            compression codec, bool is_shuffled, std::string_view id) {
  require_available(codec);
  std::vector<std::byte> shuffled;
  std::span<std::byte> into = to;
  if (is_shuffled && element_size > 1) {
    shuffled.resize(to.size());
    into = shuffled;
  }
  bool is_sound = codec == compression::none && from.size() == into.size();
  if (is_sound) std::copy(from.begin(), from.end(), into.begin());
#if PERDURE_HAS_LZ4
  if (codec == compression::lz4) is_sound = decode_lz4(from, into);
#endif
#if PERDURE_HAS_ZSTD
  if (codec == compression::zstd) is_sound = decode_zstd(from, into);
#endif
  if (!is_sound)
    throw error(errc::damaged, quoted(id) + ": its compressed bytes do not give what they should");
  if (!shuffled.empty()) unshuffle_bytes(shuffled.data(), to, element_size);
}

}  // namespace detail

}  // namespace perdure
