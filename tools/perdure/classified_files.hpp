// Files of reads that kmer classify writes: reads with a taxon, or without one, single or in pairs.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "output.hpp"

namespace perdure::cli {

/// Throws `usage_error` where a file for pairs has no '#' in its name, or several, or is standard output.
void check_read_files(const char* option, const std::filesystem::path& name, bool in_pairs);

class read_files {
 public:
  /// Opens a file, or two for pairs: `_1` and `_2` instead of the '#' in the name. Opens none for an empty
  /// name.
  read_files(const std::filesystem::path& name, bool in_pairs);

  bool is_open() const noexcept { return reads_.has_value(); }
  void write(std::string_view reads, std::string_view mates);
  void finish();

 private:
  std::optional<output> reads_;
  std::optional<output> mates_;
};

}  // namespace perdure::cli
