// The taxon of each sequence: by a map, or as its name says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <perdure/kmer/taxonomy.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace perdure::kmer {

/// Taxa of sequences, by a map or by their names.
///
/// Thread safety: like a standard container.
class sequence_taxa {
 public:
  /// Finds taxa by names alone.
  sequence_taxa() = default;
  /// Reads a map: a line for each sequence, of its name and its taxon, with a tab or blanks between. Throws
  /// `bad_input` with file and line for another line, and for a sequence with two taxa; and what opening the
  /// file throws.
  explicit sequence_taxa(const std::filesystem::path& map);

  /// Returns the taxon that the map has for a sequence; else N of a name with `kraken:taxid|N`, at its
  /// beginning or behind a '|'; else nothing.
  std::optional<taxon_id> taxon_of(std::string_view sequence) const;
  /// Returns the number of sequences in the map.
  std::size_t size() const noexcept { return taxa_.size(); }
  /// Returns a hash of the map. O(size).
  std::uint64_t digest() const noexcept;

 private:
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };

  std::unordered_map<std::string, taxon_id, hash, std::equal_to<>> taxa_;
};

}  // namespace perdure::kmer
