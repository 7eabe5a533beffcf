// Writes edges as files that `open_graph_file` reads.
#include <bit>
#include <charconv>
#include <perdure/error.hpp>
#include <perdure/graph/graph_file.hpp>
#include <span>
#include <string>

namespace perdure::graph {

namespace {

void append_binary(std::string& out, std::span<const edge> edges) {
  static_assert(sizeof(edge) == 16);
  for (edge e : edges) {
    if constexpr (std::endian::native == std::endian::big)
      e = {__builtin_bswap64(e.source), __builtin_bswap64(e.target)};
    out.append(reinterpret_cast<const char*>(&e), sizeof e);
  }
}

void append_text(std::string& out, std::span<const edge> edges) {
  for (const edge& e : edges) {
    char line[48];
    char* p = std::to_chars(line, line + 20, e.source).ptr;
    *p++ = '\t';
    p = std::to_chars(p, p + 20, e.target).ptr;
    *p++ = '\n';
    out.append(line, static_cast<std::size_t>(p - line));
  }
}

}  // namespace

void append_edges(std::string& out, std::span<const edge> edges, graph_format format) {
  switch (format) {
    case graph_format::edge_list:
      append_text(out, edges);
      return;
    case graph_format::binary:
      append_binary(out, edges);
      return;
    default:
      throw error(errc::unsupported, std::string("edges are not appended to a file of the format ") +
                                         name_of(format) + "; write text or binary");
  }
}

}  // namespace perdure::graph
