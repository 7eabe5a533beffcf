// Reads a file at any place, and says what is wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace perdure::formats {

/// Bytes of a file: from `begin` to before `end`.
struct byte_range {
  std::uint64_t begin;
  std::uint64_t end;
};

class input_file {
 public:
  /// `not_found`, `permission_denied`, `io`; `bad_input` for what is no regular file.
  explicit input_file(const std::filesystem::path& path);
  /// An empty one without a name, for what has to be unpacked: in the directory for temporary files.
  static input_file unnamed();
  input_file(input_file&& other) noexcept;
  input_file& operator=(input_file&&) = delete;
  ~input_file();

  const std::filesystem::path& path() const noexcept { return path_; }
  std::uint64_t size() const noexcept { return size_; }
  /// `bad_input` where the file is shorter.
  void read_at(std::uint64_t offset, std::span<std::byte> to) const;
  /// Up to so many bytes of text.
  std::string text_at(std::uint64_t offset, std::size_t bytes) const;
  /// Appends to an unnamed file. Throws `no_space`, `io`.
  void append(std::span<const std::byte> bytes);
  /// Returns the ranges of bytes from `begin` to `end` that are no holes, in order; nothing if there are more
  /// than `most`, or if the file system does not say.
  std::optional<std::vector<byte_range>> data_within(std::uint64_t begin, std::uint64_t end,
                                                     std::size_t most) const;
  /// `bad_input`, naming the file.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  input_file(int descriptor, std::filesystem::path path, std::uint64_t size) noexcept;

  int descriptor_;
  std::filesystem::path path_;
  std::uint64_t size_;
};

}  // namespace perdure::formats
