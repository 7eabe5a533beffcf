// The readers' fast path: ids are read digit by digit, and a line without further columns is gone through
// once.
#include "edge_lines.hpp"

#include <charconv>

#include "matrix_banner.hpp"

namespace perdure::graph::formats {
namespace {

template <class IsGap>
unsigned columns(const char* p, const char* end, IsGap is_gap) noexcept {
  unsigned found = 0;
  for (bool in_gap = true; p != end; ++p) {
    found += in_gap && !is_gap(*p) ? 1U : 0U;
    in_gap = is_gap(*p);
  }
  return found;
}

const char* wrong(flaw& problem, const char* at, std::string what) {
  problem = {at, std::move(what)};
  return nullptr;
}

const char* not_an_id(flaw& problem, const char* p) {
  if (*p == '-' && is_digit(p[1])) return wrong(problem, p, "a vertex id must not be negative");
  if (*p == '\0')
    return wrong(problem, p,
                 "byte 0x00 is not text; a binary edge list needs a name in .bin or the binary format");
  return wrong(problem, p,
               "expected a vertex id (a decimal number), found " + quoted(*p) +
                   "; where vertices have names, ask for names; where this line names columns, for a header");
}

const char* number(flaw& problem, const char* p, std::uint64_t& value) {
  const char* begin = p;
  std::uint64_t v = 0;
  while (is_digit(*p)) v = v * 10 + static_cast<unsigned char>(*p++ - '0');
  // Nineteen digits always fit.
  if (p - begin > 19) {
    const auto result = std::from_chars(begin, p, v);
    if (result.ec != std::errc{}) return wrong(problem, begin, "the vertex id does not fit 64 bits");
  }
  value = v;
  return p;
}

}  // namespace

bool edge_lines::head(const char* begin, const char* feed, std::uint64_t number, flaw& problem) {
  // Its size line would be taken for an edge.
  if (number == 1 && begin != nullptr && has_matrix_banner({begin, static_cast<std::size_t>(feed - begin)}))
    wrong(problem, begin, "this is a Matrix Market file, not an edge list");
  return false;
}

const char* edge_lines::parse(const char* p, const char* end, edge_batch& batch, line_counts& counts,
                              flaw& problem) {
  p = after_blanks(p);
  if (!is_digit(*p)) {
    if (*p == '\n') return p + 1;
    if (*p == '#' || *p == '%') return line_feed(p, end) + 1;
    if (*p == '\r') {
      const char* q = p;
      while (*q == '\r') ++q;
      if (*q == '\n') return q + 1;
    }
    return not_an_id(problem, p);
  }
  edge e;
  const char* const begin = p;
  p = number(problem, p, e.source);
  if (p == nullptr) return nullptr;
  const char* gap = p;
  p = after_blanks(p);
  const bool has_commas = *p == ',';
  if (has_commas) {
    p = after_blanks(p + 1);
  } else if (p == gap && *p != '\n' && *p != '\r') {
    return wrong(problem, p, "unexpected " + quoted(*p) + " after the first vertex id");
  }
  if (*p == '\n' || *p == '\r') return wrong(problem, p, "the second vertex id is missing");
  if (!is_digit(*p)) return not_an_id(problem, p);
  p = number(problem, p, e.target);
  if (p == nullptr) return nullptr;
  if (kept_.left != 0 && !part_sides(begin, e, problem)) return nullptr;

  values found;
  if (*p != '\n' || kept_.weight != 0 || kept_.time != 0) {
    p = further_columns(p, end, has_commas, found, counts, problem);
    if (p == nullptr) return nullptr;
  } else {
    ++p;
  }
  batch.edges.push_back(e);
  if (kept_.weight != 0) batch.values.push_back(found.weight);
  if (kept_.time != 0) batch.times.push_back(found.time);
  return p;
}

bool edge_lines::part_sides(const char* begin, edge& e, flaw& problem) const {
  if (e.source == 0 || e.target == 0 || e.source > kept_.left) {
    wrong(problem, begin,
          "the vertices of a bipartite graph count from 1, on the left to " + std::to_string(kept_.left) +
              ", which the header says");
    return false;
  }
  if (e.target > ~kept_.left) {
    wrong(problem, begin, "the vertex id does not fit 64 bits");
    return false;
  }
  e.target += kept_.left;
  return true;
}

// What follows the second id: line end, or further columns.
const char* edge_lines::further_columns(const char* p, const char* end, bool has_commas, values& found,
                                        line_counts& counts, flaw& problem) const {
  // Without a comma between columns, one in a column is a decimal comma.
  const auto is_gap = [commas = has_commas || *after_blanks(p) == ','](char c) {
    return is_blank(c) || (commas && c == ',');
  };
  if (*p != '\n' && *p != '\r' && !is_gap(*p))
    return wrong(problem, p, "unexpected " + quoted(*p) + " after the second vertex id");
  const char* const feed = line_feed(p, end);
  const line_scanner scan(p, feed, problem);
  // A carriage return inside the line is a line end of another system: going on would lose edges.
  if (const void* cr = std::memchr(p, '\r', static_cast<std::size_t>(scan.end() - p)))
    return wrong(problem, static_cast<const char*>(cr),
                 "carriage return inside a line (convert the line ends)");
  if (const void* zero = std::memchr(p, '\0', static_cast<std::size_t>(scan.end() - p)))
    return wrong(problem, static_cast<const char*>(zero), "byte 0x00 is not text");
  const unsigned last = std::max(kept_.weight, kept_.time);
  for (unsigned column = 3; column <= last; ++column) {
    while (p != scan.end() && is_gap(*p)) ++p;
    if (p == scan.end())
      return wrong(problem, p,
                   "column " + std::to_string(column) + " is missing (" +
                       (last == kept_.weight ? "weights" : "times") + " are taken from column " +
                       std::to_string(last) + ")");
    const char* stop = p;
    while (stop != scan.end() && !is_gap(*stop)) ++stop;
    if (column == kept_.weight && scan.weight(p, stop, found.weight) == nullptr) return nullptr;
    if (column == kept_.time && scan.time(p, stop, kept_.form, found.time) == nullptr) return nullptr;
    p = stop;
  }
  if (counts.ignored_columns == 0) counts.ignored_columns = columns(p, scan.end(), is_gap);
  return feed + 1;
}

}  // namespace perdure::graph::formats
