// The record of which files a graph has the edges of, so that none is added twice by mistake.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <perdure/manager.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph {

/// The record, as it is kept in an attribute of the graph: a line for each file. Where the text would exceed
/// 1 MiB, the oldest lines are dropped.
///
/// Thread safety: as a standard container's.
class ingested_files {
 public:
  /// Key of the attribute.
  static constexpr const char* attribute = "ingested files";

  /// The edges of a file that are in the graph, where edges are added in the order of their times: those up
  /// to a time.
  struct part {
    double until;  ///< in the file's unit of time; minus infinity: none yet
    std::uint64_t edges;
  };
  struct entry {
    std::string fingerprint;
    std::string name;
    bool whole = false;            ///< all edges are in the graph; else their ingestion began
    std::optional<part> so_far{};  ///< of one that began: where it can go on
  };

  /// Reads the attribute's value. Lines that are malformed are dropped.
  explicit ingested_files(std::string_view recorded = {});

  /// Returns the entry with this fingerprint, or null. O(files).
  const entry* find(std::string_view fingerprint) const;
  /// Adds the file, or changes what is recorded of it.
  void set(const entry& file);
  /// Returns the attribute's value.
  std::string text() const;

 private:
  std::vector<entry> entries_;
};

/// Returns the record of a growing graph as text; empty where there is no such graph.
std::string recorded_files(const manager& store, const std::string& graph);

}  // namespace perdure::graph
