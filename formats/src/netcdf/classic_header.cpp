// Walks the lists of a header. Numbers have their highest byte first; counts have 8 bytes in CDF-5, 4 in the
// others.
//
//   magic ("CDF", version)  count of records  dimensions  attributes  variables
//   list:      tag (4 bytes)  count  elements
//   dimension: name  length
//   attribute: name  type (4 bytes)  count  values, padded to 4 bytes
//   variable:  name  count of dimensions  their numbers  attributes  type (4 bytes)  bytes  offset (4, 8, 8
//   bytes)
#include "netcdf/classic_header.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <perdure/error.hpp>
#include <string>
#include <system_error>

namespace perdure::formats {
namespace {

class classic_header {
 public:
  explicit classic_header(const std::filesystem::path& path) : path_(path), stream_(path, std::ios::binary) {
    std::error_code problem;
    bytes_ = std::filesystem::file_size(path, problem);
    if (problem) bytes_ = 0;
  }

  void check() {
    std::array<char, 4> magic{};
    if (!stream_.read(magic.data(), magic.size()) || magic[0] != 'C' || magic[1] != 'D' || magic[2] != 'F')
      return;
    version_ = static_cast<unsigned char>(magic[3]);
    if (version_ != 1 && version_ != 2 && version_ != 5) return;
    count();  // of records
    dimensions();
    attributes();
    variables();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw error(errc::bad_input, path_.string() + ": its NetCDF header is damaged: it " + why);
  }

  std::uint64_t left() {
    const auto at = stream_.tellg();
    return at < 0 ? 0 : bytes_ - static_cast<std::uint64_t>(at);
  }
  std::uint64_t number(std::size_t size) {
    std::array<char, 8> digits{};
    if (!stream_.read(digits.data(), static_cast<std::streamsize>(size))) refuse("ends too early");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(digits[i]);
    return value;
  }
  std::uint64_t count() { return number(version_ == 5 ? 8 : 4); }

  /// A number of things of at least `size` bytes each, all of which follow.
  std::uint64_t count_of(const char* what, std::uint64_t size) {
    const std::uint64_t declared = count();
    if (declared > left() / size)
      refuse("declares " + std::to_string(declared) + ' ' + what + " in a file of " + std::to_string(bytes_) +
             " bytes");
    return declared;
  }
  void skip(std::uint64_t bytes) {
    constexpr std::uint64_t unit = 4;
    const std::uint64_t padded = (bytes + unit - 1) / unit * unit;
    if (padded > left()) refuse("ends too early");
    stream_.seekg(static_cast<std::streamoff>(padded), std::ios::cur);
  }
  void name() { skip(count_of("characters of a name", 1)); }

  void dimensions() {
    number(4);
    for (std::uint64_t n = count_of("dimensions", 8); n > 0; --n) {
      name();
      count();
    }
  }

  void attributes() {
    number(4);
    for (std::uint64_t n = count_of("attributes", 12); n > 0; --n) {
      name();
      const std::uint64_t type = number(4);
      constexpr std::array<std::uint64_t, 12> sizes{1, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
      if (type == 0 || type >= sizes.size()) refuse("has an attribute of type " + std::to_string(type));
      const std::uint64_t size = sizes[type];
      skip(count_of("values of an attribute", size) * size);
    }
  }

  void variables() {
    number(4);
    for (std::uint64_t n = count_of("variables", 24); n > 0; --n) {
      name();
      const std::uint64_t number_size = version_ == 5 ? 8 : 4;
      skip(count_of("dimensions of a variable", number_size) * number_size);
      attributes();
      number(4);
      count();
      number(version_ == 1 ? 4 : 8);
    }
  }

  const std::filesystem::path& path_;
  std::ifstream stream_;
  std::uint64_t bytes_ = 0;
  unsigned version_ = 0;
};

}  // namespace

void require_sound_classic_header(const std::filesystem::path& path) {
  classic_header(path).check();
}

}  // namespace perdure::formats
