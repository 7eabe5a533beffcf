// Unpacks and packs bytes by zlib and zstd.
#include "formats/compressed_bytes.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <perdure/error.hpp>

namespace perdure::formats {

namespace {

constexpr std::size_t unpacking_step = std::size_t{1} << 18;

[[noreturn]] void refuse_packed(const char* codec) {
  throw error(errc::bad_input, std::string("its ") + codec + " bytes are damaged");
}

}  // namespace

std::string unpack_gzip(std::string_view packed, std::size_t most) {
  z_stream state{};
  constexpr int gzip_or_zlib = 32;
  if (inflateInit2(&state, MAX_WBITS + gzip_or_zlib) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&state, inflateEnd);
  if (packed.size() > std::size_t{1} << 30) refuse_packed("gzip");
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  state.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  for (;;) {
    const std::size_t have = out.size();
    out.resize(have + std::min(unpacking_step, most + 1 - have));
    state.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    state.avail_out = static_cast<uInt>(out.size() - have);
    const int status = inflate(&state, Z_NO_FLUSH);
    out.resize(out.size() - state.avail_out);
    if (out.size() > most) refuse_packed("gzip");
    if (status == Z_STREAM_END) return out;
    if (status != Z_OK || out.size() == have) refuse_packed("gzip");
  }
}

std::string unpack_zstd(std::string_view packed, std::size_t most) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> state(ZSTD_createDStream(),
                                                                            ZSTD_freeDStream);
  if (!state) throw std::bad_alloc();
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::string out;
  for (;;) {
    const std::size_t have = out.size();
    out.resize(have + std::min(unpacking_step, most + 1 - have));
    ZSTD_outBuffer to{out.data() + have, out.size() - have, 0};
    const std::size_t left = ZSTD_decompressStream(state.get(), &to, &in);
    out.resize(have + to.pos);
    if (ZSTD_isError(left) != 0 || out.size() > most) refuse_packed("zstd");
    if (left == 0 && in.pos == in.size) return out;
    if (to.pos == 0 && in.pos == in.size) refuse_packed("zstd");
  }
}

std::string pack_zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 0);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();
  out.resize(size);
  return out;
}

}  // namespace perdure::formats
