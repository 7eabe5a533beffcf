// Where results go: standard output or a file, with every failed write noticed.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace perdure::cli {

/// The reader of our standard output has gone (`perdure … | head`): nothing more to say, nothing to report.
struct reader_gone : std::exception {};

/// Buffered output to a file descriptor. Throws `perdure::error` (or `reader_gone`) when a write fails.
class output {
 public:
  /// Standard output.
  static output standard();
  /// A file, or standard output for `-`. A regular file appears under its name only at `finish`, so that
  /// a failure leaves no half-written one behind.
  static output to(const std::filesystem::path& path);

  output(output&& other) noexcept;
  output& operator=(output&&) = delete;
  /// Drops what was not finished.
  ~output();

  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= buffer_size) flush();
  }
  void write(std::uint64_t number);
  void flush();
  /// Writes out the rest and gives the file its name.
  void finish();

 private:
  static constexpr std::size_t buffer_size = std::size_t{1} << 18;

  output(int descriptor, std::filesystem::path path, std::filesystem::path temporary);

  int descriptor_;
  std::filesystem::path path_;       // empty: standard output
  std::filesystem::path temporary_;  // empty: written in place
  std::string buffer_;
};

}  // namespace perdure::cli
