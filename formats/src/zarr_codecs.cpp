// Decodes zarr's chunks.
#include "zarr_codecs.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <perdure/error.hpp>
#include <perdure/workload/compression.hpp>
#include <utility>

#include "declared_size.hpp"
#include "os/crc32c.hpp"

#if PERDURE_HAS_BLOSC
#include <blosc.h>
#endif
#if PERDURE_HAS_LZ4
#include <lz4.h>
#endif

namespace perdure::formats {

namespace {

struct codec_name {
  zarr_codec codec;
  std::string_view name;
  bool is_there;
};
constexpr codec_name codec_names[] = {{zarr_codec::blosc, "blosc", PERDURE_HAS_BLOSC != 0},
                                      {zarr_codec::bzip2, "bz2", true},
                                      {zarr_codec::crc32c, "crc32c", true},
                                      {zarr_codec::gzip, "gzip", true},
                                      {zarr_codec::lz4, "lz4", PERDURE_HAS_LZ4 != 0},
                                      {zarr_codec::xz, "lzma", true},
                                      {zarr_codec::zlib, "zlib", true},
                                      {zarr_codec::zstd, "zstd", true}};

[[noreturn]] void refuse_bytes(const std::string& what) {
  throw error(errc::bad_input, what);
}

/// Returns whether so many bytes can be what so few have become. A block of zstd has 4 bytes at least and
/// becomes 128 KiB; bzip2 alone makes more of bytes that are all the same.
bool can_become(std::uint64_t encoded, std::uint64_t size) noexcept {
  constexpr std::uint64_t most_times = std::uint64_t{1} << 15;
  return size <= few_declared || size / most_times <= encoded;
}

using workload::beginning;

/// Bytes that a codec may decode to, and how many of them are kept.
struct decoding_limits {
  std::uint64_t most;
  std::size_t kept;
};

#if PERDURE_HAS_BLOSC
beginning decoded_blosc(const std::string& bytes, const decoding_limits& limits) {
  std::size_t size = 0;
  if (blosc_cbuffer_validate(bytes.data(), bytes.size(), &size) != 0)
    refuse_bytes("its blosc bytes are damaged (their header)");
  if (size > limits.most || !can_become(bytes.size(), size))
    refuse_bytes("its blosc bytes are damaged (they become " + std::to_string(size) + " bytes)");
  const auto refuse_decompression = [&] {
    const char* const compressor = blosc_cbuffer_complib(bytes.data());
    refuse_bytes("its blosc bytes cannot be decompressed (by " +
                 std::string(compressor == nullptr ? "an unknown compressor" : compressor) + ")");
  };
  std::size_t element = 1;
  int flags = 0;
  blosc_cbuffer_metainfo(bytes.data(), &element, &flags);
  element = std::max<std::size_t>(element, 1);
  // Whole elements as blosc counts them, of which the last one of all may be cut.
  const std::size_t elements = limits.kept / element + 1;
  std::string out(std::min(elements * element, size), '\0');
  // Less than nothing: also for a compressor that libblosc was built without.
  if (out.size() < size) {
    if (blosc_getitem(bytes.data(), 0, static_cast<int>(elements), out.data()) !=
        static_cast<int>(out.size()))
      refuse_decompression();
  } else if (constexpr int threads = 1;
             size != 0 &&
             blosc_decompress_ctx(bytes.data(), out.data(), size, threads) != static_cast<int>(size)) {
    refuse_decompression();
  }
  return {std::move(out), size};
}
#else
beginning decoded_blosc(const std::string&, const decoding_limits&) {
  throw error(errc::unsupported, "it is compressed by blosc, which this program was built without");
}
#endif

#if PERDURE_HAS_LZ4
/// A block behind the number of bytes that it becomes.
beginning decoded_lz4(const std::string& bytes, const decoding_limits& limits) {
  std::uint32_t size = 0;
  if (bytes.size() < sizeof size) refuse_bytes("its lz4 bytes are too short");
  std::memcpy(&size, bytes.data(), sizeof size);
  const std::size_t packed = bytes.size() - sizeof size;
  // A byte of a block becomes 255 at most.
  if (size > limits.most || size > LZ4_MAX_INPUT_SIZE || packed > INT32_MAX || size / 255 > packed)
    refuse_bytes("its lz4 bytes are damaged (they become " + std::to_string(size) + " bytes)");
  std::string out(std::min<std::size_t>(size, limits.kept), '\0');
  const char* const block = bytes.data() + sizeof size;
  const auto in = static_cast<int>(packed);
  const auto wanted = static_cast<int>(out.size());
  const int got = out.size() < size ? LZ4_decompress_safe_partial(block, out.data(), in, wanted, wanted)
                                    : LZ4_decompress_safe(block, out.data(), in, wanted);
  if (got != wanted) refuse_bytes("its lz4 bytes are damaged");
  return {std::move(out), size};
}
#else
beginning decoded_lz4(const std::string&, const decoding_limits&) {
  throw error(errc::unsupported, "it is compressed by lz4, which this program was built without");
}
#endif

beginning decoded(zarr_codec codec, std::string bytes, const decoding_limits& limits) {
  const auto by = [&](workload::codec of) {
    return workload::decompress_beginning(of, bytes, limits.most, limits.kept);
  };
  switch (codec) {
    case zarr_codec::blosc:
      return decoded_blosc(bytes, limits);
    case zarr_codec::bzip2:
      return by(workload::codec::bzip2);
    case zarr_codec::crc32c: {
      take_crc32c(bytes);
      const std::uint64_t size = bytes.size();
      return {std::move(bytes), size};
    }
    case zarr_codec::gzip:
      return by(workload::codec::gzip);
    case zarr_codec::lz4:
      return decoded_lz4(bytes, limits);
    case zarr_codec::xz:
      return by(workload::codec::xz);
    case zarr_codec::zlib:
      return by(workload::codec::zlib);
    case zarr_codec::zstd:
      return by(workload::codec::zstd);
  }
  refuse_bytes("its codec is none");
}

}  // namespace

zarr_codec zarr_codec_named(std::string_view name) {
  for (const codec_name& one : codec_names) {
    if (one.name != name) continue;
    if (one.is_there) return one.codec;
    throw error(errc::unsupported, "its chunks are compressed by " + std::string(name) +
                                       ", which this program was built without: build it where lib" +
                                       std::string(name) + " is installed");
  }
  throw error(errc::unsupported, "its chunks are written by the codec \"" + std::string(name.substr(0, 60)) +
                                     "\", which this program does not have: write them with zstd or gzip");
}

std::uint64_t most_encoded(const std::vector<zarr_codec>& codecs, std::uint64_t size) noexcept {
  // Codecs lengthen bytes that do not become smaller, by less than this.
  constexpr std::uint64_t part = 8;
  constexpr std::uint64_t header = 4096;
  for (std::size_t i = 0; i < codecs.size(); ++i) size += std::min(size / part + header, UINT64_MAX - size);
  return size;
}

std::string decode_zarr_elements(const std::vector<zarr_codec>& codecs, std::string bytes, std::uint64_t size,
                                 std::size_t kept) {
  constexpr std::uint64_t few_elements = std::uint64_t{1} << 30;
  if (size > few_elements && !codecs.empty() && !can_become(bytes.size(), size))
    refuse_bytes("its " + std::to_string(bytes.size()) + " bytes are too few for the " +
                 std::to_string(size) + " bytes of elements that the metadata give a chunk");
  std::uint64_t got = bytes.size();
  for (std::size_t i = codecs.size(); i-- > 0;) {
    std::uint64_t most = size;
    if (i != 0) most = most_encoded({codecs.begin(), codecs.begin() + static_cast<std::ptrdiff_t>(i)}, size);
    beginning found = decoded(codecs[i], std::move(bytes), {most, i == 0 ? kept : most});
    bytes = std::move(found.bytes);
    got = found.size;
  }
  if (got != size)
    refuse_bytes("it has " + std::to_string(got) + " bytes of elements, and a chunk has " +
                 std::to_string(size));
  bytes.resize(kept);
  return bytes;
}

std::string decode_zarr_texts(const std::vector<zarr_codec>& codecs, std::string bytes, std::size_t most) {
  for (std::size_t i = codecs.size(); i-- > 0;)
    bytes = decoded(codecs[i], std::move(bytes), {most, most}).bytes;
  return bytes;
}

void take_crc32c(std::string& bytes) {
  std::uint32_t said = 0;
  if (bytes.size() < sizeof said) refuse_bytes("it is too short for its checksum");
  std::memcpy(&said, bytes.data() + bytes.size() - sizeof said, sizeof said);
  bytes.resize(bytes.size() - sizeof said);
  if (os::crc32c(0, bytes.data(), bytes.size()) != said) refuse_bytes("its checksum is wrong");
}

}  // namespace perdure::formats
