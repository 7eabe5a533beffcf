// Decodes zarr's chunks.
#include "zarr_codecs.hpp"

#include <cstdint>
#include <cstring>
#include <new>
#include <perdure/error.hpp>
#include <perdure/workload/compression.hpp>

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

#if PERDURE_HAS_BLOSC
std::string decoded_blosc(const std::string& bytes, std::size_t most) {
  std::size_t size = 0;
  if (blosc_cbuffer_validate(bytes.data(), bytes.size(), &size) != 0)
    refuse_bytes("its blosc bytes are damaged (their header)");
  if (size > most)
    refuse_bytes("its blosc bytes are damaged (they become " + std::to_string(size) + " bytes)");
  std::string out(size, '\0');
  constexpr int threads = 1;
  // Less than nothing: also for a compressor that libblosc was built without.
  if (size != 0 && blosc_decompress_ctx(bytes.data(), out.data(), size, threads) != static_cast<int>(size)) {
    const char* const compressor = blosc_cbuffer_complib(bytes.data());
    refuse_bytes("its blosc bytes cannot be decompressed (by " +
                 std::string(compressor == nullptr ? "an unknown compressor" : compressor) + ")");
  }
  return out;
}
#else
std::string decoded_blosc(const std::string&, std::size_t) {
  throw error(errc::unsupported, "it is compressed by blosc, which this program was built without");
}
#endif

#if PERDURE_HAS_LZ4
/// A block behind the number of bytes that it becomes.
std::string decoded_lz4(const std::string& bytes, std::size_t most) {
  std::uint32_t size = 0;
  if (bytes.size() < sizeof size) refuse_bytes("its lz4 bytes are too short");
  std::memcpy(&size, bytes.data(), sizeof size);
  const std::size_t packed = bytes.size() - sizeof size;
  // A byte of a block becomes 255 at most.
  if (size > most || size > LZ4_MAX_INPUT_SIZE || packed > INT32_MAX || size / 255 > packed)
    refuse_bytes("its lz4 bytes are damaged (they become " + std::to_string(size) + " bytes)");
  std::string out(size, '\0');
  if (LZ4_decompress_safe(bytes.data() + sizeof size, out.data(), static_cast<int>(packed),
                          static_cast<int>(size)) != static_cast<int>(size))
    refuse_bytes("its lz4 bytes are damaged");
  return out;
}
#else
std::string decoded_lz4(const std::string&, std::size_t) {
  throw error(errc::unsupported, "it is compressed by lz4, which this program was built without");
}
#endif

std::string decoded(zarr_codec codec, std::string bytes, std::size_t most) {
  switch (codec) {
    case zarr_codec::blosc:
      return decoded_blosc(bytes, most);
    case zarr_codec::bzip2:
      return workload::decompress(workload::codec::bzip2, bytes, most);
    case zarr_codec::crc32c:
      take_crc32c(bytes);
      return bytes;
    case zarr_codec::gzip:
      return workload::decompress(workload::codec::gzip, bytes, most);
    case zarr_codec::lz4:
      return decoded_lz4(bytes, most);
    case zarr_codec::xz:
      return workload::decompress(workload::codec::xz, bytes, most);
    case zarr_codec::zlib:
      return workload::decompress(workload::codec::zlib, bytes, most);
    case zarr_codec::zstd:
      return workload::decompress(workload::codec::zstd, bytes, most);
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

std::string decode_zarr_chunk(const std::vector<zarr_codec>& codecs, std::string bytes, std::size_t most) {
  for (std::size_t i = codecs.size(); i-- > 0;) bytes = decoded(codecs[i], std::move(bytes), most);
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
