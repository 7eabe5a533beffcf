// Bytes of a file or pipe from front to back, decompressed when they are gzip.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace perdure::graph {

class byte_stream {
 public:
  byte_stream() = default;
  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;
  virtual ~byte_stream() = default;

  /// Up to `size` bytes into `out`; 0 only at the end. Throws `perdure::error` naming the file.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  /// Bytes of the file itself read so far, and its length (0: unknown). Any thread may ask.
  virtual std::uint64_t position() const noexcept = 0;
  virtual std::uint64_t length() const noexcept = 0;
};

/// What messages call a file.
std::string display_name(const std::filesystem::path& path);

/// Opens a file (`-`: standard input); gzip is recognised by its first two bytes. Once `end_descriptor` can
/// be read from, what is no regular file is at its end.
std::unique_ptr<byte_stream> open_byte_stream(const std::filesystem::path& path, int end_descriptor = -1);

}  // namespace perdure::graph
