// Which format a file has, by its first bytes.
#pragma once

#include <cstdint>
#include <perdure/graph/graph_file.hpp>
#include <string_view>

namespace perdure::graph::formats {

/// The beginning of a file.
struct file_head {
  static constexpr std::size_t most = std::size_t{1} << 16;

  std::string_view bytes;
  bool is_whole = false;     ///< the file has no more
  std::uint64_t length = 0;  ///< of all of it; 0: unknown
};

/// Whether more bytes may change the answer. Of what is no regular file only as much is waited for as tells
/// text in lines from something else.
bool wants_more(std::string_view head, bool is_regular_file);

/// Throws `invalid_argument` where records of several sizes would fit. `name` has the endings of `.bin`,
/// `.graph`, …, which count where the content fits them.
graph_format sniff(const file_head& head, const std::filesystem::path& name);

/// Of what `sniff` calls `gapbs`: whether neighbours have weights.
bool has_gapbs_weights(const file_head& head, const std::filesystem::path& name);

/// Of METIS: whether a vertex has an empty line, so that lines begin with no size.
bool has_empty_vertex_line(std::string_view head);

/// The first line that is no comment and not empty, without its end; empty where there is none.
std::string_view first_data_line(std::string_view head);

}  // namespace perdure::graph::formats
