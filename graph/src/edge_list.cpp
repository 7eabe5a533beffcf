// Edge lists without a header, read as they are: nothing is recognised but how they are compressed.
#include <bit>
#include <charconv>
#include <perdure/graph/edge_list.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <span>
#include <string>
#include <utility>

#include "formats/edge_lines.hpp"
#include "formats/edge_records.hpp"

namespace perdure::graph {

edge_list_format format_of(const std::filesystem::path& path, edge_list_format asked) {
  if (asked != edge_list_format::automatic) return asked;
  return workload::uncompressed_name(path).extension() == ".bin" ? edge_list_format::binary
                                                                 : edge_list_format::text;
}

std::unique_ptr<edge_source> open_edge_list(const std::filesystem::path& path,
                                            const edge_list_options& options) {
  auto stream = workload::open_byte_stream(path, options.end_descriptor);
  if (format_of(path, options.format) == edge_list_format::binary)
    return formats::open_edge_records(std::move(stream), graph_format::binary);
  const formats::kept_columns kept{options.keep_values ? 3U : 0U, 0};
  return std::make_unique<formats::text_source<formats::edge_lines>>(
      std::move(stream), workload::line_reader::block_size, options.skip_bad_lines,
      formats::edge_lines(kept, graph_file_info()));
}

void append_edges(std::string& out, std::span<const edge> edges, edge_list_format format) {
  if (format == edge_list_format::binary) {
    static_assert(sizeof(edge) == 16);
    for (edge e : edges) {
      if constexpr (std::endian::native == std::endian::big)
        e = {__builtin_bswap64(e.source), __builtin_bswap64(e.target)};
      out.append(reinterpret_cast<const char*>(&e), sizeof e);
    }
    return;
  }
  for (const edge& e : edges) {
    char line[48];
    char* p = std::to_chars(line, line + 20, e.source).ptr;
    *p++ = '\t';
    p = std::to_chars(p, p + 20, e.target).ptr;
    *p++ = '\n';
    out.append(line, static_cast<std::size_t>(p - line));
  }
}

}  // namespace perdure::graph
