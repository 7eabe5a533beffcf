// Which format a file has, by its first bytes.
#pragma once

#include <cstdint>
#include <perdure/graph/graph_file.hpp>
#include <string_view>
#include <vector>

namespace perdure::graph::formats {

/// The beginning of a file.
struct file_head {
  static constexpr std::size_t most = std::size_t{1} << 16;

  std::string_view bytes;
  bool is_whole = false;     ///< the file has no more
  std::uint64_t length = 0;  ///< length of the whole file; 0: unknown
};

/// Returns whether more bytes may change the answer. Of a pipe or a terminal no more is waited for than the
/// eight lines of `first_data_lines`.
bool wants_more(std::string_view head, bool is_regular_file);

/// Throws `invalid_argument` where several formats would fit, or a line that may be a header. `name` has the
/// endings of `.bin`, `.graph`, …, which count where the content fits them.
graph_format sniff(const file_head& head, const std::filesystem::path& name,
                   const graph_file_options& options);

/// Returns whether a file that `sniff` calls `gapbs` has weights.
bool has_gapbs_weights(const file_head& head, const std::filesystem::path& name);

/// Returns whether a METIS file has an empty line for a vertex, so that lines begin without a size.
bool has_empty_vertex_line(std::string_view head);

/// The first lines that are no comments and not empty, without their ends: at most eight, by which the
/// columns of a list of edges are found. If the head is not whole, without a line that may go on.
std::vector<std::string_view> first_data_lines(const file_head& head);

}  // namespace perdure::graph::formats
