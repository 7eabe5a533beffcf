// Compressed bytes: gzip, zlib, raw deflate, zstd, xz and bzip2, a piece at a time or in one piece. The one
// place that knows their libraries; blocks of arrays in stores have their own (src/array/block_codec.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace perdure::workload {

/// Format of compressed bytes.
enum class codec : std::uint8_t {
  gzip,     ///< members with checksums, any number one after the other
  deflate,  ///< without a header, as in zip archives
  zstd,     ///< frames, any number one after the other
  xz,       ///< streams, any number one after the other
  bzip2,    ///< the same
  zlib,     ///< one stream of deflate with zlib's header and checksum
};

/// Sizes of what a call of `decode` has processed.
struct decoded {
  std::size_t taken = 0;  ///< bytes of the input
  std::size_t given = 0;  ///< bytes of the output
};

/// Decompresses bytes of one codec, a piece at a time. Thread safety: one thread at a time.
class decoder {
 public:
  decoder() = default;
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;
  virtual ~decoder() = default;

  /// Takes from `in` and writes to `out`, which is not empty, as far as it can. `in_ends`: nothing follows
  /// `in`. Throws `bad_data` and `std::bad_alloc`.
  virtual decoded decode(std::span<const char> in, std::span<char> out, bool in_ends) = 0;
  /// Returns whether what was taken so far may be all of it.
  virtual bool may_end() const noexcept = 0;
};

/// Compressed data that cannot be decoded: what is wrong, without the file's name.
struct bad_data {
  std::string what;  ///< description of the fault
};

/// Makes a decoder for one codec. Throws `std::bad_alloc`.
std::unique_ptr<decoder> make_decoder(codec of);

/// Decompresses bytes that are in one piece. Throws `bad_input` if they are damaged, truncated, followed by
/// anything else, would become more than `most` bytes, or ask for a window of more than that and 128 MiB.
std::string decompress(codec of, std::string_view packed, std::size_t most);

/// The first of the bytes that compressed data becomes.
struct beginning {
  std::string bytes;       ///< the first bytes
  std::uint64_t size = 0;  ///< number of bytes that the piece becomes
};
/// Like `decompress`, but keeps the first `kept` bytes only. Takes memory for them, for a window of up to
/// 128 MiB or as many bytes, and for 256 KiB.
beginning decompress_beginning(codec of, std::string_view packed, std::uint64_t most, std::size_t kept);

/// Compresses bytes to one zstd frame that has their length, at the usual level.
std::string compress_zstd(std::string_view bytes);

/// Compresses to raw deflate, a piece at a time. Thread safety: one thread at a time.
class deflate_encoder {
 public:
  /// Takes compressed bytes, which it must use before it returns.
  using sink = std::function<void(std::string_view)>;

  /// Begins a stream. Throws `std::bad_alloc`.
  deflate_encoder();
  deflate_encoder(const deflate_encoder&) = delete;
  deflate_encoder& operator=(const deflate_encoder&) = delete;
  ~deflate_encoder();

  /// Compresses `bytes` and passes what is ready to `to`.
  void encode(std::string_view bytes, const sink& to);
  /// Passes the rest to `to`. Nothing may be encoded afterwards.
  void finish(const sink& to);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Returns the CRC-32 of gzip and zip: of what `crc` covers followed by `bytes`; 0 covers nothing.
std::uint32_t crc32(std::uint32_t crc, std::string_view bytes) noexcept;

}  // namespace perdure::workload
