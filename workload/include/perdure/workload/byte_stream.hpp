// Bytes of a file or pipe from front to back, decompressed where they are compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <perdure/workload/progress.hpp>
#include <string>

namespace perdure::workload {

/// An open file or pipe, read from front to back.
///
/// Thread safety: one thread at a time calls `read`; any thread may call the other members.
class byte_stream {
 public:
  byte_stream() = default;
  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;
  virtual ~byte_stream() = default;

  /// Reads up to `size` bytes into `out` and returns their number; 0 only at the end. Throws `io`, and
  /// `bad_input` for compressed data that is damaged or truncated. Messages name the file.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  /// Returns the name of the file in messages.
  virtual const std::string& name() const noexcept = 0;
  /// Returns the bytes of the file itself that were read so far; of compressed files the compressed bytes.
  virtual std::uint64_t position() const noexcept = 0;
  /// Returns the length of the file in bytes; 0: unknown.
  virtual std::uint64_t length() const noexcept = 0;
  /// Returns whether the bytes read differ from the file's own bytes, so that `length` does not bound them.
  virtual bool is_encoded() const noexcept { return false; }

  /// Returns `position` and `length` as progress in bytes.
  workload::progress progress() const noexcept { return {position(), length(), "bytes"}; }
};

/// Opens a file; `-` is standard input. gzip, zstd and xz are recognised by their first bytes, whatever the
/// file's name. A file may have several compressed parts one after the other.
///
/// Once `end_descriptor` can be read from, a pipe or a terminal counts as ended. Throws `not_found`,
/// `permission_denied` or `io`.
std::unique_ptr<byte_stream> open_byte_stream(const std::filesystem::path& path, int end_descriptor = -1);

/// Returns the name of a file without the ending for its compression: `a.bin` for `a.bin.gz`.
std::filesystem::path uncompressed_name(const std::filesystem::path& path);

}  // namespace perdure::workload
