// Which files a graph has the edges of, so that nobody adds one twice by mistake.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::cli {

/// What tells a file from others whatever its name: its length, and its first and last MiB. Nothing for what
/// is no regular file.
std::optional<std::string> fingerprint_of(const std::filesystem::path& path);

/// As kept in an attribute of the graph: a line for each file. The oldest are forgotten where it gets too
/// long.
class ingested_files {
 public:
  static constexpr const char* attribute = "ingested files";

  /// Which edges of a file are in, where they are added in the order of their times: those up to a time.
  struct part {
    double until;  ///< minus infinity: none yet
    std::uint64_t edges;
  };
  struct entry {
    std::string fingerprint;
    std::string name;
    bool whole = false;            ///< else its ingestion began
    std::optional<part> so_far{};  ///< of one that began: where it can go on
  };

  explicit ingested_files(std::string_view recorded = {});

  const entry* find(std::string_view fingerprint) const;
  /// Adds the file, or changes what is known of it.
  void set(const entry& file);
  std::string text() const;

 private:
  std::vector<entry> entries_;
};

}  // namespace perdure::cli
