// Formats with a mark of their own first; then texts by their lines, and records by what ids they would mean.
#include "sniffer.hpp"

#include <algorithm>
#include <charconv>
#include <perdure/error.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <string>
#include <utility>
#include <vector>

#include "delimited.hpp"
#include "exact_reader.hpp"
#include "gapbs.hpp"

namespace perdure::graph::formats {
namespace {

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

/// A first line of two to four numbers, and lines of ids that would be no edge list: none, one, many, or as
/// many as the header says, with the entries that it says.
bool is_metis(const file_head& head, bool is_called_so) {
  std::vector<std::uint64_t> numbers;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t format = 0;
  bool has_header = false;
  bool fits = true;
  bool is_uneven = false;
  std::size_t first_columns = 0;
  std::uint64_t lines = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries;
  const char* header_end = nullptr;
  each_line(head, [&](std::string_view line) {
    if (line.starts_with('%') || line.starts_with('#') || (!has_header && line.empty())) return true;
    if (!numbers_of(line, numbers)) {
      // Weights may have fractions, but then the name has to say what it is.
      fits = is_called_so && has_header;
      return fits;
    }
    if (!has_header) {
      has_header = true;
      fits = numbers.size() >= 2 && numbers.size() <= 4 && (numbers.size() < 3 || numbers[2] <= 111);
      if (!fits) return false;
      vertices = numbers[0];
      edges = numbers[1];
      format = numbers.size() > 2 ? numbers[2] : 0;
      header_end = line.data() + line.size();
      return true;
    }
    if (lines == vertices) return fits = numbers.empty();
    if (lines++ == 0) first_columns = numbers.size();
    is_uneven |= numbers.size() != first_columns || numbers.size() < 2 || numbers.size() > 4;
    if (head.is_whole)
      for (const std::uint64_t neighbour : numbers) entries.emplace_back(lines, neighbour);
    return true;
  });
  if (!has_header || !fits) return false;
  if (is_called_so) return true;
  if (head.is_whole && lines != vertices) return false;
  // A second line that is longer than any edge.
  constexpr std::ptrdiff_t longest_edge = 4096;
  if (lines == 0 && head.bytes.data() + head.bytes.size() - header_end > longest_edge) return true;
  if (is_uneven) return true;
  if (!head.is_whole || lines == 0 || format != 0 || entries.size() / 2 != edges || entries.size() % 2 != 0)
    return false;
  std::sort(entries.begin(), entries.end());
  return std::all_of(entries.begin(), entries.end(), [&](const auto& one) {
    return one.first != one.second &&
           std::binary_search(entries.begin(), entries.end(), std::pair(one.second, one.first));
  });
}

bool has_header_of_names(std::string_view line) {
  const char delimiter = workload::delimiter_of(line, ' ');
  const std::vector<std::string> fields = fields_of(line, delimiter);
  if (fields.size() < 2) return false;
  constexpr std::string_view known[] = {"source", "src", "from", "target", "dst",  "to",   "dest", "weight",
                                        "time",   "u",   "v",    "user",   "item", "node", "id"};
  bool any_known = false;
  for (const std::string& field : fields) {
    if (field.empty() || is_digit(field[0]) || field[0] == '-') return false;
    std::string lower = field;
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    for (const std::string_view one : known)
      any_known |= one.size() == 1 ? lower == one : lower.starts_with(one);
  }
  return any_known;
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

std::string_view first_data_line(std::string_view head) {
  std::string_view found;
  each_line({head, true, 0}, [&](std::string_view line) {
    const std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string_view::npos || line[at] == '#' || line[at] == '%') return true;
    found = line;
    return false;
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
  const std::string_view line = first_data_line(head);
  // A line that has come to its end.
  return line.empty() || line.data() + line.size() == head.data() + head.size();
}

bool has_gapbs_weights(const file_head& head, const std::filesystem::path& name) {
  // The name first: a file with weights that is cut off may be as long as one without.
  const std::filesystem::path ending = workload::uncompressed_name(name).extension();
  if (ending == ".wsg" || ending == ".sg") return ending == ".wsg";
  return head.length != 0 && gapbs_header::at(head.bytes.data()).length(true) == head.length;
}

graph_format sniff(const file_head& head, const std::filesystem::path& name) {
  const std::filesystem::path ending = workload::uncompressed_name(name).extension();
  std::string_view bytes = head.bytes;
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const file_head text{bytes, head.is_whole, head.length};
  if (ending == ".bin") return graph_format::binary;
  if (gapbs_header::may_be(bytes) ||
      ((ending == ".sg" || ending == ".wsg") && bytes.size() >= gapbs_header::size))
    return graph_format::gapbs;
  if (!is_text(bytes)) {
    // Something that begins as text is text with a line that is wrong, which its reader says better.
    const std::size_t feed = bytes.find('\n');
    if (feed == std::string_view::npos || feed == 0 || !is_text(bytes.substr(0, feed)))
      return records_of(head);
  }
  constexpr std::string_view banner = "%%MatrixMarket";
  if (bytes.size() >= banner.size() && std::equal(banner.begin(), banner.end(), bytes.begin(),
                                                  [](char a, char b) { return (a | 32) == (b | 32); }))
    return graph_format::matrix_market;
  if (is_dimacs(text)) return graph_format::dimacs;
  if (is_metis(text, ending == ".graph" || ending == ".metis")) return graph_format::metis;
  if (has_header_of_names(first_data_line(bytes))) return graph_format::csv;
  return graph_format::edge_list;
}

}  // namespace perdure::graph::formats
