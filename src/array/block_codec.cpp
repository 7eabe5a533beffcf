// Compression of blocks by lz4, zstd and blosc, where the build has them.
#include "array/block_codec.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <perdure/error.hpp>

#include "array/array_name.hpp"

#if PERDURE_HAS_BLOSC
#include <blosc.h>
#endif
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
constexpr codec_name codec_names[] = {{compression::none, "none"},
                                      {compression::lz4, "lz4"},
                                      {compression::zstd, "zstd"},
                                      {compression::blosc, "blosc"}};

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
              "there is no compression '" + std::string(name) + "': take none, lz4, zstd or blosc");
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
    case compression::blosc:
      return PERDURE_HAS_BLOSC != 0;
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

#if PERDURE_HAS_LZ4 || PERDURE_HAS_BLOSC
// Of one piece: lz4 and blosc count in int.
constexpr std::size_t most_in_piece = std::size_t{1} << 30;

struct piece_header {
  std::uint64_t bytes;
  std::uint64_t stored;
};

/// Compresses piece by piece, each behind its header. `bound(bytes)` is the room that a piece needs, and
/// `compress(from, to, room)` returns how many bytes it has become: 0 or less if it failed.
template <class Bound, class Compress>
std::vector<std::byte> encode_pieces(std::span<const std::byte> bytes, std::string_view codec,
                                     const Bound& bound, const Compress& compress) {
  std::vector<std::byte> result;
  do {
    const std::span<const std::byte> piece = bytes.first(std::min(bytes.size(), most_in_piece));
    bytes = bytes.subspan(piece.size());
    const std::size_t at = result.size();
    const std::size_t room = bound(piece.size());
    result.resize(at + sizeof(piece_header) + room);
    const int stored = compress(piece, result.data() + at + sizeof(piece_header), room);
    if (stored <= 0 && !piece.empty())
      throw error(errc::io, std::string(codec) + " could not compress a block");
    const piece_header header{piece.size(), static_cast<std::uint64_t>(stored)};
    std::memcpy(result.data() + at, &header, sizeof header);
    result.resize(at + sizeof header + static_cast<std::size_t>(stored));
  } while (!bytes.empty());
  return result;
}

/// Reads such pieces. `decompress(from, to)` returns whether the bytes have become exactly `to`.
template <class Decompress>
bool decode_pieces(std::span<const std::byte> from, std::span<std::byte> to, const Decompress& decompress) {
  while (!from.empty()) {
    piece_header header{};
    if (from.size() < sizeof header) return false;
    std::memcpy(&header, from.data(), sizeof header);
    from = from.subspan(sizeof header);
    if (header.stored > from.size() || header.bytes > to.size() || header.bytes > most_in_piece) return false;
    if (!decompress(from.first(header.stored), to.first(header.bytes))) return false;
    from = from.subspan(header.stored);
    to = to.subspan(header.bytes);
  }
  return to.empty();
}
#endif

#if PERDURE_HAS_LZ4
std::vector<std::byte> encode_lz4(std::span<const std::byte> bytes, int level) {
  const auto bound = [](std::size_t size) {
    return static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(size)));
  };
  return encode_pieces(bytes, "lz4", bound,
                       [level](std::span<const std::byte> piece, std::byte* into, std::size_t room) {
                         const auto* const from = reinterpret_cast<const char*>(piece.data());
                         auto* const to = reinterpret_cast<char*>(into);
                         const int size = static_cast<int>(piece.size());
                         return level > 1 ? LZ4_compress_HC(from, to, size, static_cast<int>(room), level)
                                          : LZ4_compress_default(from, to, size, static_cast<int>(room));
                       });
}

bool decode_lz4(std::span<const std::byte> from, std::span<std::byte> to) {
  return decode_pieces(from, to, [](std::span<const std::byte> piece, std::span<std::byte> into) {
    const int got =
        LZ4_decompress_safe(reinterpret_cast<const char*>(piece.data()), reinterpret_cast<char*>(into.data()),
                            static_cast<int>(piece.size()), static_cast<int>(into.size()));
    return got >= 0 && static_cast<std::size_t>(got) == into.size();
  });
}
#endif

#if PERDURE_HAS_BLOSC
// Calls use no threads of blosc's own, and none of its global state.
constexpr int blosc_threads = 1;

/// The compressor inside of blosc: lz4, or, where libblosc was built without it, its own, which it always
/// has.
const char* blosc_compressor() {
  static const char* const name =
      blosc_compname_to_compcode(BLOSC_LZ4_COMPNAME) >= 0 ? BLOSC_LZ4_COMPNAME : BLOSC_BLOSCLZ_COMPNAME;
  return name;
}

std::vector<std::byte> encode_blosc(std::span<const std::byte> bytes, std::size_t element_size,
                                    const encoding& how) {
  const int level = how.level == 0 ? 5 : std::clamp(how.level, 1, 9);
  const int shuffle = how.shuffle ? BLOSC_SHUFFLE : BLOSC_NOSHUFFLE;
  // blosc shuffles elements of up to 255 bytes.
  const auto bound = [](std::size_t size) { return size + BLOSC_MAX_OVERHEAD; };
  return encode_pieces(bytes, "blosc", bound,
                       [&](std::span<const std::byte> piece, std::byte* to, std::size_t room) {
                         constexpr std::size_t chosen_block = 0;
                         return blosc_compress_ctx(level, shuffle, element_size, piece.size(), piece.data(),
                                                   to, room, blosc_compressor(), chosen_block, blosc_threads);
                       });
}

bool decode_blosc(std::span<const std::byte> from, std::span<std::byte> to, std::string_view id) {
  return decode_pieces(from, to, [id](std::span<const std::byte> piece, std::span<std::byte> into) {
    std::size_t size = 0;
    if (blosc_cbuffer_validate(piece.data(), piece.size(), &size) != 0 || size != into.size()) return false;
    const int got = blosc_decompress_ctx(piece.data(), into.data(), into.size(), blosc_threads);
    if (got >= 0 && static_cast<std::size_t>(got) == into.size()) return true;
    const char* const compressor = blosc_cbuffer_complib(piece.data());
    if (compressor != nullptr && std::string_view(compressor) == BLOSC_LZ4_LIBNAME &&
        blosc_compname_to_compcode(BLOSC_LZ4_COMPNAME) < 0)
      throw error(errc::unsupported,
                  quoted(id) +
                      " is compressed by blosc with lz4, and the libblosc of this machine was built "
                      "without lz4: install one that has it");
    return false;
  });
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

bool is_known(compression codec) noexcept {
  return std::ranges::any_of(codec_names, [codec](const codec_name& one) { return one.codec == codec; });
}

void require_available(compression codec, std::string_view id) {
  if (is_available(codec)) return;
  const std::string of = id.empty() ? "" : quoted(id) + ": ";
  const std::string name(to_string(codec));
  if (!is_known(codec))
    throw error(errc::unsupported, of + "this version of the library has no compression of the number " +
                                       std::to_string(static_cast<int>(codec)) + ": a later one may have it");
  throw error(errc::unsupported, of + "this build of the library has no compression by " + name +
                                     ": build it with lib" + name +
                                     "-dev installed, or take another compression to store");
}

std::vector<std::byte> encode(std::span<const std::byte> bytes, std::size_t element_size,
                              const encoding& how) {
  require_available(how.codec);
#if PERDURE_HAS_BLOSC
  if (how.codec == compression::blosc) return encode_blosc(bytes, element_size, how);
#endif
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
  require_available(codec, id);
  std::vector<std::byte> shuffled;
  std::span<std::byte> into = to;
  // blosc shuffles by itself.
  if (is_shuffled && codec != compression::blosc && element_size > 1) {
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
#if PERDURE_HAS_BLOSC
  if (codec == compression::blosc) is_sound = decode_blosc(from, into, id);
#endif
  if (!is_sound)
    throw error(errc::damaged, quoted(id) + ": its compressed bytes do not give what they should");
  if (!shuffled.empty()) unshuffle_bytes(shuffled.data(), to, element_size);
}

}  // namespace detail

}  // namespace perdure
