// Record of the files whose edges a graph has, so that no file is added twice by mistake.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <perdure/manager.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph {

/// The record, as it is kept in an attribute of the graph: a line for each file. The oldest lines are dropped
/// where the text would exceed 1 MiB.
///
/// Thread safety: like a standard container.
class ingested_files {
 public:
  /// Key of the attribute.
  static constexpr const char* attribute = "ingested files";  ///< key of the attribute

  /// The edges of a file that are in the graph, where edges are added in the order of their times.
  struct part {
    double until;  ///< time up to which the graph has the edges, in the file's unit; minus infinity: none yet
    std::uint64_t edges;  ///< number of these edges
  };
  /// A file.
  struct entry {
    std::string fingerprint;       ///< fingerprint of its content
    std::string name;              ///< name of the file, without its folder
    bool whole = false;            ///< all edges are in the graph; otherwise their ingestion was begun
    std::optional<part> so_far{};  ///< where an ingestion that was begun can continue
  };

  /// Parses the attribute's value. Malformed lines are dropped.
  explicit ingested_files(std::string_view recorded = {});

  /// Returns the entry with this fingerprint, or null. O(files).
  const entry* find(std::string_view fingerprint) const;
  /// Adds a file, or replaces the entry with the same fingerprint.
  void set(const entry& file);
  /// Returns the attribute's value.
  std::string text() const;

 private:
  std::vector<entry> entries_;
};

/// Returns the record of a growing graph as text; empty if there is no such graph.
std::string recorded_files(const manager& store, const std::string& graph);

}  // namespace perdure::graph
