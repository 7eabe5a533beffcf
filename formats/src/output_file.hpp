// Writes a file from front to back.
#pragma once

#include <filesystem>
#include <perdure/formats/array_source.hpp>
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
  /// The rest. Without it the file is not whole.
  void finish();
  byte_sink sink() {
    return [this](std::string_view bytes) { write(bytes); };
  }

 private:
  void flush(std::string_view bytes);

  std::filesystem::path path_;
  int descriptor_;
  std::string buffer_;
};

}  // namespace perdure::formats
