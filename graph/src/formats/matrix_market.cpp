// A banner, comments, a line of sizes, and entries, of which symmetric matrices have one of two.
#include "matrix_market.hpp"

#include <array>
#include <cctype>

namespace perdure::graph::formats {
bool matrix_market::head(const char* begin, const char* feed, std::uint64_t number, flaw& problem) {
  if (begin == nullptr) {
    problem.what = has_banner_ ? "the file ends before the line of sizes" : "the file is empty";
    // A matrix without entries ends with its sizes.
    if (has_sizes_) problem.what.clear();
    return false;
  }
  if (!has_banner_) {
    read_banner(begin, feed, part_, banner_, problem);
    has_banner_ = true;
    return true;
  }
  if (has_sizes_) return false;
  const line_scanner scan(begin, feed, problem);
  if (*begin == '%' || scan.at_end(begin)) return true;
  sizes(begin, feed, number, problem);
  has_sizes_ = true;
  return true;
}

void matrix_market::sizes(const char* begin, const char* feed, std::uint64_t number, flaw& problem) {
  const line_scanner scan(begin, feed, problem);
  std::uint64_t columns = 0;
  const char* const rows_end = scan.whole(begin, vertices_, "the number of rows");
  if (rows_end == nullptr) return;
  const char* const columns_end = scan.whole(rows_end, columns, "the number of columns");
  if (columns_end == nullptr) return;
  const char* const count_end = scan.whole(columns_end, entries_, "the number of entries");
  if (count_end == nullptr || !scan.ends(count_end)) return;
  if (columns != vertices_) {
    scan.wrong(after_blanks(rows_end),
               "the matrix is not square, so its rows and columns are not the same vertices");
    return;
  }
  if (vertices_ > most_vertices) {
    scan.wrong(after_blanks(begin), "a graph has at most 2^32 - 1 vertices");
    return;
  }
  vertices_at_ = {number, static_cast<std::uint64_t>(after_blanks(begin) - begin) + 1};
  count_at_ = {number, static_cast<std::uint64_t>(after_blanks(columns_end) - begin) + 1};
}

const char* matrix_market::parse(const char* p, const char* end, edge_batch& batch, line_counts& counts,
                                 flaw& problem) const {
  const char* const feed = line_feed(p, end);
  const line_scanner scan(p, feed, problem);
  if (scan.at_end(p) || *p == '%') return feed + 1;
  edge e;
  p = scan.id_up_to(p, vertices_, e.source);
  if (p == nullptr) return nullptr;
  const char* const second = after_blanks(p);
  p = scan.id_up_to(p, vertices_, e.target);
  if (p == nullptr) return nullptr;
  if (banner_.form == matrix_banner::symmetry::skew && e.source == e.target)
    return scan.wrong(second, "a skew-symmetric matrix has no diagonal");
  if (banner_.form != matrix_banner::symmetry::general && e.source < e.target)
    return scan.wrong(second, "of a symmetric matrix only the lower triangle is stored");
  matrix_value found;
  if (read_value(p, scan, banner_, part_, found) == nullptr) return nullptr;
  ++counts.entries;
  add_entry(e, found, banner_, batch);
  return feed + 1;
}

std::optional<broken_promise> matrix_market::judge(const line_counts& counts) const {
  if (counts.entries == entries_) return std::nullopt;
  return broken_promise{count_at_, "the header says " + std::to_string(entries_) +
                                       " entries, and the file has " + std::to_string(counts.entries)};
}

}  // namespace perdure::graph::formats
