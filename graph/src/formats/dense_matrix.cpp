// One value a line. Of a symmetric matrix each column begins at its diagonal, of a skew-symmetric one below
// it.
#include "dense_matrix.hpp"

namespace perdure::graph::formats {

bool is_dense_matrix(std::string_view head) {
  const std::string line(head.substr(0, head.find('\n')));
  matrix_banner banner;
  flaw problem;
  read_banner(line.c_str(), line.c_str() + line.size(), complex_part::modulus, banner, problem);
  return banner.is_dense;
}

bool dense_matrix::head(const char* begin, const char* feed, std::uint64_t number, flaw& problem) {
  if (begin == nullptr) {
    if (!has_sizes_)
      problem.what = has_banner_ ? "the file ends before the line of sizes" : "the file is empty";
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
  has_sizes_ = true;
  std::uint64_t columns = 0;
  const char* const rows_end = scan.whole(begin, size_, "the number of rows");
  if (rows_end == nullptr) return true;
  const char* const columns_end = scan.whole(rows_end, columns, "the number of columns");
  if (columns_end == nullptr || !scan.ends(columns_end)) return true;
  if (columns != size_) {
    scan.wrong(after_blanks(rows_end),
               "the matrix is not square, so its rows and columns are not the same vertices");
    return true;
  }
  if (size_ > most_vertices) {
    scan.wrong(after_blanks(begin), "a graph has at most 2^32 - 1 vertices");
    return true;
  }
  sizes_at_ = {number, static_cast<std::uint64_t>(after_blanks(begin) - begin) + 1};
  using symmetry = matrix_banner::symmetry;
  const std::uint64_t below = size_ * (size_ - (size_ != 0 ? 1 : 0)) / 2;
  values_ = banner_.form == symmetry::general ? size_ * size_
            : banner_.form == symmetry::skew  ? below
                                              : below + size_;
  if (banner_.form == symmetry::skew) row_ = 2;
  return true;
}

void dense_matrix::next_place() noexcept {
  if (row_++ < size_) return;
  ++column_;
  using symmetry = matrix_banner::symmetry;
  row_ = banner_.form == symmetry::general ? 1 : banner_.form == symmetry::skew ? column_ + 1 : column_;
}

const char* dense_matrix::parse(const char* p, const char* end, edge_batch& batch, line_counts& counts,
                                flaw& problem) {
  const char* const feed = line_feed(p, end);
  const line_scanner scan(p, feed, problem);
  if (scan.at_end(p) || *p == '%') return feed + 1;
  if (row_ > size_ || column_ > size_)
    return scan.wrong(after_blanks(p),
                      "the header says " + std::to_string(values_) + " values, and here is another one");
  matrix_value found;
  if (read_value(p, scan, banner_, part_, found) == nullptr) return nullptr;
  ++counts.entries;
  const edge e{row_, column_};
  next_place();
  if (found.value == 0 && found.mirrored == 0) return feed + 1;
  add_entry(e, found, banner_, batch);
  return feed + 1;
}

std::optional<broken_promise> dense_matrix::judge(const line_counts& counts) const {
  if (counts.entries == values_) return std::nullopt;
  return broken_promise{sizes_at_, "the header says " + std::to_string(values_) +
                                       " values, and the file has " + std::to_string(counts.entries)};
}

}  // namespace perdure::graph::formats
