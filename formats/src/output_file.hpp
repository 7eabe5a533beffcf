// Writes a file from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <perdure/formats/array_source.hpp>
#include <span>
#include <string>
#include <string_view>

namespace perdure::formats {

class output_file {
 public:
  /// A new one, or a pipe or device that is there; "-" is standard output. `no_space`, `permission_denied`,
  /// `io`, as of all members.
  explicit output_file(const std::filesystem::path& path);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();

  void write(std::string_view bytes);
  /// Returns whether bytes that are never written become zeros: false for pipes, devices and standard output.
  bool may_have_holes() const noexcept { return may_have_holes_; }
  /// Writes bytes at a place of a file that may have holes, behind what `write` has written.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Gives a file that may have holes its size, which is no smaller than what was written.
  void extend(std::uint64_t size);
  /// The rest. Without it the file is not whole.
  void finish();
  byte_sink sink() {
    return [this](std::string_view bytes) { write(bytes); };
  }

 private:
  void flush(std::string_view bytes);

  std::filesystem::path path_;
  int descriptor_;
  bool may_have_holes_ = false;
  std::string buffer_;
};

}  // namespace perdure::formats
