// Bytes of a file or pipe from front to back, decompressed where they are compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <perdure/workload/progress.hpp>
#include <string>

namespace perdure::workload {

/// An open file. Thread safety: `read` by one thread at a time, the others from any thread.
class byte_stream {
 public:
  byte_stream() = default;
  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;
  virtual ~byte_stream() = default;

  /// Up to `size` bytes into `out`; 0 only at the end. Throws `perdure::error` naming the file: `io`, and
  /// `bad_input` where compressed data is damaged or ends too early.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  /// What messages call the file.
  virtual const std::string& name() const noexcept = 0;
  /// Bytes of the file itself read so far, compressed as they are, and its length (0: unknown).
  virtual std::uint64_t position() const noexcept = 0;
  virtual std::uint64_t length() const noexcept = 0;

  workload::progress progress() const noexcept { return {position(), length(), "bytes"}; }
};

/// Opens a file; `-` is standard input. gzip, zstd and xz are recognised by their first bytes, whatever the
/// file is called; of each, several compressed files may follow one another in one.
///
/// Once `end_descriptor` can be read from, a pipe or a terminal counts as ended. Throws `not_found`,
/// `permission_denied` or `io`.
std::unique_ptr<byte_stream> open_byte_stream(const std::filesystem::path& path, int end_descriptor = -1);

/// The name of a file without the ending that says how it is compressed: `a.bin` for `a.bin.gz`.
std::filesystem::path uncompressed_name(const std::filesystem::path& path);

}  // namespace perdure::workload
