// Archives of files, as NumPy's .npz is one: members that are stored as they are, or deflated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <vector>

#include "input_file.hpp"

namespace perdure::formats {

struct zip_member {
  std::string name;
  std::uint64_t bytes = 0;   ///< before compression
  std::uint64_t packed = 0;  ///< in the archive
  std::uint64_t header = 0;  ///< where its own header is
  std::uint32_t checksum = 0;
  bool is_deflated = false;
};

/// Returns the members in the archive's directory. `bad_input`, `unsupported` (encryption, other
/// compression).
std::vector<zip_member> list_zip(const input_file& archive);

/// A member's bytes: where they are in the archive, or in a file of their own that they are unpacked to.
struct zip_content {
  std::shared_ptr<const input_file> file;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  /// Compares a stored member with its checksum; empty for one that was unpacked, which has been compared.
  std::function<void()> check = {};
};
zip_content open_zip_member(const std::shared_ptr<const input_file>& archive, const zip_member& member);

/// Writes an archive, one member after the other.
class zip_writer {
 public:
  zip_writer(byte_sink to, bool deflated) : to_(std::move(to)), deflated_(deflated) {}

  /// `write` gives the member's bytes, `bytes` in all.
  void add(const std::string& name, std::uint64_t bytes, const std::function<void(const byte_sink&)>& write);
  /// The directory. Nothing may be added afterwards.
  void finish();

 private:
  void put(std::string_view bytes);

  byte_sink to_;
  bool deflated_;
  std::uint64_t at_ = 0;
  std::vector<zip_member> members_;
};

}  // namespace perdure::formats
