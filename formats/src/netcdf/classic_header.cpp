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

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <perdure/error.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace perdure::formats {
namespace {

class classic_header {
 public:
  explicit classic_header(const std::filesystem::path& path) : path_(path), stream_(path, std::ios::binary) {
    std::error_code problem;
    bytes_ = std::filesystem::file_size(path, problem);
    if (problem) bytes_ = 0;
  }

  cut_variables check() {
    std::array<char, 4> magic{};
    if (!stream_.read(magic.data(), magic.size()) || magic[0] != 'C' || magic[1] != 'D' || magic[2] != 'F')
      return {};
    version_ = static_cast<unsigned char>(magic[3]);
    if (version_ != 1 && version_ != 2 && version_ != 5) return {};
    records_ = count();
    dimensions();
    attributes();
    variables();
    return cut();
  }

 private:
  struct variable {
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;  // of one record, where it has records
    bool has_records = false;
  };

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
  std::string name() {
    const std::uint64_t length = count_of("characters of a name", 1);
    const auto begin = stream_.tellg();
    std::string text(std::min(length, longest_name), '\0');
    stream_.read(text.data(), static_cast<std::streamsize>(text.size()));
    stream_.seekg(begin);
    skip(length);
    return text;
  }

  void dimensions() {
    number(4);
    for (std::uint64_t n = count_of("dimensions", 8); n > 0; --n) {
      name();
      lengths_.push_back(count());
    }
  }

  void attributes() {
    number(4);
    for (std::uint64_t n = count_of("attributes", 12); n > 0; --n) {
      name();
      const std::uint64_t type = number(4);
      if (type == 0 || type >= sizes_.size()) refuse("has an attribute of type " + std::to_string(type));
      const std::uint64_t size = sizes_[type];
      skip(count_of("values of an attribute", size) * size);
    }
  }

  void variables() {
    number(4);
    for (std::uint64_t n = count_of("variables", 24); n > 0; --n) {
      variable one;
      one.name = name();
      one.bytes = 1;
      const std::uint64_t rank = count_of("dimensions of a variable", version_ == 5 ? 8 : 4);
      for (std::uint64_t i = 0; i < rank; ++i) {
        const std::uint64_t dimension = count();
        const std::uint64_t length = dimension < lengths_.size() ? lengths_[dimension] : 0;
        // The dimension of records has the length 0 here.
        if (i == 0 && length == 0)
          one.has_records = true;
        else
          multiply(one.bytes, length);
      }
      attributes();
      const std::uint64_t type = number(4);
      multiply(one.bytes, type < sizes_.size() ? sizes_[type] : 0);
      count();
      one.begin = number(version_ == 1 ? 4 : 8);
      variables_.push_back(std::move(one));
    }
  }

  static void multiply(std::uint64_t& value, std::uint64_t by) {
    if (__builtin_mul_overflow(value, by, &value)) value = UINT64_MAX;
  }

  cut_variables cut() const {
    std::uint64_t record = 0;
    std::uint64_t with_records = 0;
    for (const variable& one : variables_) {
      if (!one.has_records) continue;
      ++with_records;
      record += one.bytes + (4 - one.bytes % 4) % 4;
    }
    const bool is_stream = records_ == (version_ == 5 ? UINT64_MAX : UINT32_MAX);
    cut_variables found;
    for (const variable& one : variables_) {
      std::uint64_t before = 0;
      if (one.has_records && is_stream) {
        found[one.name] = "its header does not say how many records there are, as that of a stream";
        continue;
      }
      if (one.has_records && records_ == 0) continue;
      if (one.has_records) {
        // Records of a single variable lie beside each other.
        before = with_records == 1 ? one.bytes : record;
        multiply(before, records_ - 1);
      }
      const bool is_there = one.bytes == 0 || (one.begin <= bytes_ && before <= bytes_ - one.begin &&
                                               one.bytes <= bytes_ - one.begin - before);
      if (!is_there)
        found[one.name] = "its elements lie behind the end of the file, which is cut short: it has " +
                          std::to_string(bytes_) + " bytes";
    }
    return found;
  }

  static constexpr std::uint64_t longest_name = 256;  // NC_MAX_NAME
  // Bytes of the types, by their numbers.
  static constexpr std::array<std::uint64_t, 12> sizes_{1, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
  const std::filesystem::path& path_;
  std::ifstream stream_;
  std::uint64_t bytes_ = 0;
  unsigned version_ = 0;
  std::uint64_t records_ = 0;
  std::vector<std::uint64_t> lengths_;  // of dimensions
  std::vector<variable> variables_;
};

}  // namespace

cut_variables check_classic_header(const std::filesystem::path& path) {
  return classic_header(path).check();
}

}  // namespace perdure::formats
