// Formats with a mark of their own first; then texts by their lines, and records by what ids they would mean.
#include "sniffer.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <string>
#include <utility>
#include <vector>

#include "delimited.hpp"
#include "exact_reader.hpp"
#include "gapbs.hpp"
#include "gml.hpp"
#include "header_line.hpp"
#include "line_scan.hpp"
#include "matrix_banner.hpp"
#include "pajek.hpp"
#include "xml_source.hpp"

namespace perdure::graph::formats {
namespace {

constexpr std::size_t lines_looked_at = 8;

/// Lines with their line feeds taken off; the last one is left out where it may go on.
template <class Visit>
void each_line(const file_head& head, Visit&& visit) {
  std::string_view rest = head.bytes;
  while (!rest.empty()) {
    const std::size_t feed = rest.find('\n');
    if (feed == std::string_view::npos && !head.is_whole) return;
    std::string_view line = rest.substr(0, feed);
    rest.remove_prefix(feed == std::string_view::npos ? rest.size() : feed + 1);
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!visit(line)) return;
  }
}

bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  });
}

/// Letters of ASCII in UTF-16, behind a byte order mark.
bool is_utf16(std::string_view bytes) {
  const bool is_little = bytes.starts_with("\xFF\xFE");
  if (!is_little && !bytes.starts_with("\xFE\xFF")) return false;
  constexpr std::size_t looked_at = 64;
  bytes = bytes.substr(2, looked_at);
  if (bytes.size() < 4) return false;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const char high = bytes[is_little ? i + 1 : i];
    if (high != 0 || !is_text(bytes.substr(is_little ? i : i + 1, 1))) return false;
  }
  return true;
}

bool is_dimacs(const file_head& head) {
  bool found = false;
  each_line(head, [&](std::string_view line) {
    if (line.empty() || line == "c" || line.starts_with("c ") || line.starts_with("c\t")) return true;
    for (const std::string_view mark : {"p sp ", "p edge ", "p col "}) found |= line.starts_with(mark);
    return false;
  });
  return found;
}

/// The numbers of a line of whole numbers, or false.
bool numbers_of(std::string_view line, std::vector<std::uint64_t>& numbers) {
  numbers.clear();
  const char* p = line.data();
  const char* const end = p + line.size();
  for (;;) {
    while (p != end && is_blank(*p)) ++p;
    if (p == end) return true;
    std::uint64_t number = 0;
    const auto result = std::from_chars(p, end, number);
    if (result.ec != std::errc{} || (result.ptr != end && !is_blank(*result.ptr))) return false;
    numbers.push_back(number);
    p = result.ptr;
  }
}

enum class likeness { none, other_lists_too, alone };

/// The numbers of a METIS header, and what they say of the lines behind it.
struct metis_header {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t vertex_values = 0;
  std::uint64_t values_of_neighbour = 1;

  /// How many neighbours a line of so many numbers names; nothing where it cannot be one of the graph's.
  std::optional<std::uint64_t> neighbours_in(std::uint64_t numbers) const {
    if (numbers < vertex_values || (numbers - vertex_values) % values_of_neighbour != 0) return std::nullopt;
    return (numbers - vertex_values) / values_of_neighbour;
  }
};

/// Two to four numbers: vertices, edges, three digits that say what has weights, weights of a vertex.
std::optional<metis_header> metis_header_in(const std::vector<std::uint64_t>& numbers) {
  if (numbers.size() < 2 || numbers.size() > 4) return std::nullopt;
  metis_header found{numbers[0], numbers[1]};
  const std::uint64_t format = numbers.size() > 2 ? numbers[2] : 0;
  if (format > 111) return std::nullopt;
  found.vertex_values = format / 100 + (format / 10 % 10 == 0 ? 0 : numbers.size() > 3 ? numbers[3] : 1);
  found.values_of_neighbour = 1 + format % 10;
  return found;
}

/// A METIS header, and lines of ids that would be no edge list: none, one, many, or different numbers of
/// them. Where all have as many as an edge, they are one too, though each edge be there at both its ends.
likeness likeness_to_metis(const file_head& head, bool is_called_so) {
  std::vector<std::uint64_t> numbers;
  std::optional<metis_header> header;
  bool fits = true;
  bool is_uneven = false;
  bool may_be_lines_of_vertices = true;
  std::size_t first_columns = 0;
  std::uint64_t lines = 0;
  std::uint64_t named = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries;
  const char* header_end = nullptr;
  each_line(head, [&](std::string_view line) {
    if (line.starts_with('%') || line.starts_with('#') || (!header && line.empty())) return true;
    if (!numbers_of(line, numbers)) {
      // Weights may have fractions, but then the name has to say what it is.
      fits = is_called_so && header;
      return fits;
    }
    if (!header) {
      header = metis_header_in(numbers);
      header_end = line.data() + line.size();
      return header.has_value();
    }
    if (lines == header->vertices) return fits = numbers.empty();
    if (lines++ == 0) first_columns = numbers.size();
    is_uneven |= numbers.size() != first_columns || numbers.size() < 2 || numbers.size() > 4;
    const std::optional<std::uint64_t> neighbours = header->neighbours_in(numbers.size());
    may_be_lines_of_vertices &= neighbours.has_value();
    named += neighbours.value_or(0);
    if (head.is_whole && header->vertex_values == 0 && header->values_of_neighbour == 1)
      for (const std::uint64_t neighbour : numbers) entries.emplace_back(lines, neighbour);
    return true;
  });
  if (!header || !fits) return likeness::none;
  if (is_called_so) return likeness::alone;
  if (head.is_whole && lines != header->vertices) return likeness::none;
  // A second line that is longer than any edge.
  constexpr std::ptrdiff_t longest_edge = 4096;
  if (lines == 0 && head.bytes.data() + head.bytes.size() - header_end > longest_edge) return likeness::alone;
  if (is_uneven) return likeness::alone;
  if (lines == 0 || !may_be_lines_of_vertices) return likeness::none;
  if (!head.is_whole) {
    // All vertices have as many neighbours as these, if the header says so.
    const bool is_regular =
        header->edges <= header->vertices * 2 && header->edges * 2 == header->vertices * (named / lines);
    return is_regular ? likeness::other_lists_too : likeness::none;
  }
  if (named % 2 != 0 || named / 2 != header->edges) return likeness::none;
  std::sort(entries.begin(), entries.end());
  const bool is_symmetric = std::all_of(entries.begin(), entries.end(), [&](const auto& one) {
    return one.first != one.second &&
           std::binary_search(entries.begin(), entries.end(), std::pair(one.second, one.first));
  });
  return is_symmetric ? likeness::other_lists_too : likeness::none;
}

bool is_called_list_of_edges(const std::filesystem::path& ending) {
  constexpr std::string_view endings[] = {".el", ".wel", ".edges", ".edgelist", ".csv", ".tsv"};
  return std::find(std::begin(endings), std::end(endings), ending.string()) != std::end(endings);
}

bool is_metis(const file_head& head, const std::filesystem::path& ending) {
  switch (likeness_to_metis(head, ending == ".graph" || ending == ".metis")) {
    case likeness::none:
      return false;
    case likeness::alone:
      return true;
    case likeness::other_lists_too:
      break;
  }
  if (is_called_list_of_edges(ending)) return false;
  throw error(
      errc::invalid_argument,
      "this may be a METIS graph or a list of edges: say which with --format metis or --format text, or by a "
      "name that ends in .graph or .el");
}

/// Ids of records are numbers with zeros above them: so the right size of record shows.
template <class Plausible>
bool all_records(std::string_view bytes, std::size_t size, Plausible&& plausible) {
  for (std::size_t at = 0; at + size <= bytes.size(); at += size)
    if (!plausible(bytes.data() + at)) return false;
  return bytes.size() >= size;
}

graph_format records_of(const file_head& head) {
  const auto divides = [&](std::uint64_t size) { return head.length == 0 || head.length % size == 0; };
  const bool pairs =
      divides(16) && all_records(head.bytes, 16, [](const char* record) {
        return (little_endian<std::uint64_t>(record) | little_endian<std::uint64_t>(record + 8)) >> 48 == 0;
      });
  const bool packed = divides(12) && all_records(head.bytes, 12, [](const char* record) {
                        return (little_endian<std::uint32_t>(record + 8) & 0xFF00FF00U) == 0;
                      });
  if (pairs != packed) return pairs ? graph_format::binary : graph_format::graph500;
  throw error(errc::invalid_argument,
              std::string("no format is recognised: the file is not text, and ") +
                  (pairs ? "its records may be of 12 or of 16 bytes"
                         : "it has no records of 12 or 16 bytes with ids below 2^48") +
                  "; say which with the format binary (pairs of 64-bit numbers), graph500 or gapbs");
}

}  // namespace

std::vector<std::string_view> first_data_lines(const file_head& head) {
  std::vector<std::string_view> found;
  each_line(head, [&](std::string_view line) {
    const std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string_view::npos || line[at] == '#' || line[at] == '%') return true;
    found.push_back(line);
    return found.size() < lines_looked_at;
  });
  return found;
}

bool has_empty_vertex_line(std::string_view head) {
  bool has_header = false;
  bool found = false;
  each_line({head, false, 0}, [&](std::string_view line) {
    if (line.starts_with('%') || line.starts_with('#')) return true;
    const bool is_empty = line.find_first_not_of(" \t") == std::string_view::npos;
    found = has_header && is_empty;
    has_header |= !is_empty;
    return !found;
  });
  return found;
}

bool wants_more(std::string_view head, bool is_regular_file) {
  if (is_regular_file) return true;
  if (head.size() < 32 && !is_text(head)) return true;
  if (!is_text(head)) return false;
  return first_data_lines({head, false, 0}).size() < lines_looked_at;
}

bool has_gapbs_weights(const file_head& head, const std::filesystem::path& name) {
  // The name first: a file with weights that is cut off may be as long as one without.
  const std::filesystem::path ending = workload::uncompressed_name(name).extension();
  if (ending == ".wsg" || ending == ".sg") return ending == ".wsg";
  return head.length != 0 && gapbs_header::at(head.bytes.data()).length(true) == head.length;
}

graph_format sniff(const file_head& head, const std::filesystem::path& name,
                   const graph_file_options& options) {
  const std::filesystem::path ending = workload::uncompressed_name(name).extension();
  std::string_view bytes = head.bytes;
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  const file_head text{bytes, head.is_whole, head.length};
  if (ending == ".bin") return graph_format::binary;
  if (is_utf16(bytes))
    throw error(errc::invalid_argument,
                "the file is text in UTF-16: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)");
  if (gapbs_header::may_be(bytes) ||
      ((ending == ".sg" || ending == ".wsg") && bytes.size() >= gapbs_header::size))
    return graph_format::gapbs;
  if (!is_text(bytes)) {
    // Something that begins as text is text with a line that is wrong, which its reader says better.
    const std::size_t feed = bytes.find('\n');
    if (feed == std::string_view::npos || feed == 0 || !is_text(bytes.substr(0, feed)))
      return records_of(head);
  }
  if (has_matrix_banner(bytes)) return graph_format::matrix_market;
  if (is_xml(bytes)) {
    if (const std::optional<graph_format> found = xml_format_of(bytes)) return *found;
    throw error(errc::invalid_argument,
                "no format is recognised: the file is XML, and neither GraphML nor GEXF");
  }
  if (is_dimacs(text)) return graph_format::dimacs;
  if (is_pajek(bytes)) return graph_format::pajek;
  if (is_gml(bytes)) return graph_format::gml;
  if (options.header != header_line::automatic)
    return options.header == header_line::yes ? graph_format::csv : graph_format::edge_list;
  if (is_metis(text, ending)) return graph_format::metis;
  if (begins_with_header(text, name, options)) return graph_format::csv;
  return graph_format::edge_list;
}

}  // namespace perdure::graph::formats
