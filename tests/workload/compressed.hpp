// Bytes as the usual programs compress them.
#pragma once

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace perdure::test {

inline std::string gzip(std::string_view bytes, int level = 6) {
  z_stream state{};
  if (deflateInit2(&state, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out(deflateBound(&state, bytes.size()) + 32, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  state.avail_in = static_cast<uInt>(bytes.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&state, Z_FINISH);
  out.resize(state.total_out);
  deflateEnd(&state);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib does not compress");
  return out;
}

inline std::string zlib(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  const int status = compress(reinterpret_cast<Bytef*>(out.data()), &size,
                              reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (status != Z_OK) throw std::runtime_error("zlib does not compress");
  out.resize(size);
  return out;
}

/// With a check sum of the content, as the program makes it.
inline std::string zstd(std::string_view bytes, int level = 3) {
  ZSTD_CCtx* const state = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(state, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress2(state, out.data(), out.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(state);
  if (ZSTD_isError(size) != 0) throw std::runtime_error("libzstd does not compress");
  out.resize(size);
  return out;
}

inline std::string xz(std::string_view bytes, std::uint32_t preset = 1) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  if (lzma_easy_buffer_encode(preset, LZMA_CHECK_CRC64, nullptr,
                              reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                              reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()) != LZMA_OK)
    throw std::runtime_error("liblzma does not compress");
  out.resize(size);
  return out;
}

inline std::string bzip2(std::string_view bytes) {
  std::string out(bytes.size() + bytes.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(out.size());
  if (BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(bytes.data()),
                               static_cast<unsigned>(bytes.size()), 9, 0, 0) != BZ_OK)
    throw std::runtime_error("libbz2 does not compress");
  out.resize(size);
  return out;
}

}  // namespace perdure::test
