// Edge lists in files: text as SNAP writes it, and pairs of 64-bit numbers; both also compressed (gzip, zstd,
// xz).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <perdure/graph/edge_source.hpp>
#include <perdure/workload/line_reader.hpp>
#include <span>
#include <string>

namespace perdure::graph {

enum class edge_list_format {
  automatic,  ///< binary when the name ends in `.bin`, or in that and `.gz`, `.zst` or `.xz`; else text
  text,       ///< one edge a line
  binary,     ///< source and target as little-endian 64-bit numbers, nothing else
};

struct edge_list_options {
  edge_list_format format = edge_list_format::automatic;
  bool skip_bad_lines = false;  ///< leave malformed lines out and count them, instead of throwing
  bool keep_values = false;     ///< parse a third column into `edge_batch::values` (0 where it is absent)
  /// Once this descriptor can be read from, a pipe or a terminal counts as ended, so that a signal's handler
  /// can wake who waits for it.
  int end_descriptor = -1;
};

/// Opens an edge list. `-` is standard input. Compression is recognised by content.
///
/// Text: two vertex ids (decimal, 64 bits) a line, separated by blanks, tabs or a comma; further columns
/// are ignored, or the third is kept as a value. Empty lines and lines that begin with `#` or `%` are
/// skipped. Lines may end in LF, CR LF or CR CR LF. Threads that draw batches parse in parallel.
///
/// Throws `not_found`, `permission_denied` or `io`; drawing batches throws `workload::line_error`, in a
/// binary file with the number of the edge as the line. When several threads draw, the error with the
/// smallest line is the first one of the file.
std::unique_ptr<edge_source> open_edge_list(const std::filesystem::path& path,
                                            const edge_list_options& options = {});

/// Appends `source TAB target NEWLINE`, or 16 bytes, for each edge: what `open_edge_list` reads.
void append_edges(std::string& out, std::span<const edge> edges, edge_list_format format);

/// The format `automatic` stands for with this name.
edge_list_format format_of(const std::filesystem::path& path, edge_list_format asked);

}  // namespace perdure::graph
