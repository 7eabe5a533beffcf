// A banner, comments, a line of sizes, and entries, of which symmetric matrices have one of two.
#include "matrix_market.hpp"

#include <array>
#include <cctype>

namespace perdure::graph::formats {
namespace {

template <class Enum, std::size_t Count>
bool choose(std::string_view word, const std::array<std::pair<std::string_view, Enum>, Count>& known,
            Enum& chosen) {
  for (const auto& [name, value] : known) {
    if (word.size() != name.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < name.size(); ++i)
      same &= std::tolower(static_cast<unsigned char>(word[i])) == name[i];
    if (same) {
      chosen = value;
      return true;
    }
  }
  return false;
}

}  // namespace

bool matrix_market::head(const char* begin, const char* feed, std::uint64_t number, flaw& problem) {
  if (begin == nullptr) {
    problem.what = has_banner_ ? "the file ends before the line of sizes" : "the file is empty";
    // A matrix without entries ends with its sizes.
    if (has_sizes_) problem.what.clear();
    return false;
  }
  if (!has_banner_) {
    banner(begin, feed, problem);
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

void matrix_market::banner(const char* begin, const char* feed, flaw& problem) {
  const line_scanner scan(begin, feed, problem);
  std::array<const char*, 5> at{};
  std::array<std::string_view, 5> words;
  const char* p = begin;
  for (std::size_t i = 0; i < words.size(); ++i) {
    p = after_blanks(p);
    const char* stop = p;
    while (stop < scan.end() && !is_blank(*stop)) ++stop;
    at[i] = p;
    if (p < scan.end()) words[i] = {p, static_cast<std::size_t>(stop - p)};
    p = stop;
  }
  enum class only { it };
  only chosen{};
  constexpr std::array banner{std::pair{std::string_view("%%matrixmarket"), only::it}};
  constexpr std::array matrix{std::pair{std::string_view("matrix"), only::it}};
  constexpr std::array coordinate{std::pair{std::string_view("coordinate"), only::it}};
  constexpr std::array array{std::pair{std::string_view("array"), only::it}};
  constexpr std::array fields{std::pair{std::string_view("pattern"), field::pattern},
                              std::pair{std::string_view("integer"), field::integer},
                              std::pair{std::string_view("real"), field::real},
                              std::pair{std::string_view("double"), field::real},
                              std::pair{std::string_view("complex"), field::complex}};
  constexpr std::array symmetries{std::pair{std::string_view("general"), symmetry::general},
                                  std::pair{std::string_view("symmetric"), symmetry::symmetric},
                                  std::pair{std::string_view("skew-symmetric"), symmetry::skew},
                                  std::pair{std::string_view("hermitian"), symmetry::hermitian}};
  const auto wrong = [&](std::size_t word, const char* what) {
    scan.wrong(at[word],
               std::string(what) + (words[word].empty()
                                        ? ", and the line ends here"
                                        : ", found \"" + std::string(words[word].substr(0, 40)) + '"'));
  };
  if (!choose(words[0], banner, chosen)) return wrong(0, "expected %%MatrixMarket");
  if (!choose(words[1], matrix, chosen)) return wrong(1, "expected \"matrix\"");
  if (choose(words[2], array, chosen)) return wrong(2, "a dense matrix is no graph: expected \"coordinate\"");
  if (!choose(words[2], coordinate, chosen)) return wrong(2, "expected \"coordinate\"");
  if (!choose(words[3], fields, field_)) return wrong(3, "expected pattern, integer, real or complex");
  if (!choose(words[4], symmetries, symmetry_))
    return wrong(4, "expected general, symmetric, skew-symmetric or hermitian");
  if (symmetry_ == symmetry::hermitian && field_ != field::complex)
    return wrong(4, "a hermitian matrix must be complex");
  if (symmetry_ == symmetry::skew && field_ == field::pattern)
    return wrong(4, "a skew-symmetric matrix must have values");
  if (!scan.ends(p)) return;
  info_.format = graph_format::matrix_market;
  const bool conjugate_differs = symmetry_ == symmetry::hermitian && part_ == complex_part::imaginary;
  const bool is_symmetric =
      symmetry_ == symmetry::symmetric || (symmetry_ == symmetry::hermitian && !conjugate_differs) ||
      (symmetry_ == symmetry::skew && field_ == field::complex && part_ == complex_part::modulus);
  info_.kind = is_symmetric ? direction::undirected : direction::directed;
  info_.has_weights = field_ != field::pattern;
  info_.description = "Matrix Market, " + std::string(words[3]) + ", " + std::string(words[4]);
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
  if (symmetry_ == symmetry::skew && e.source == e.target)
    return scan.wrong(second, "a skew-symmetric matrix has no diagonal");
  if (symmetry_ != symmetry::general && e.source < e.target)
    return scan.wrong(second, "of a symmetric matrix only the lower triangle is stored");
  double value = 0;
  double mirrored = 0;
  if (field_ != field::pattern) {
    const char* const at = after_blanks(p);
    p = scan.finite(p, value, "the value");
    if (p == nullptr) return nullptr;
    if (field_ == field::integer && std::trunc(value) != value)
      return scan.wrong(at, "the value is not a whole number, which the header says");
    mirrored = symmetry_ == symmetry::skew ? -value : value;
  }
  if (field_ == field::complex) {
    double imaginary = 0;
    p = scan.finite(p, imaginary, "the imaginary part");
    if (p == nullptr) return nullptr;
    if (part_ == complex_part::modulus) {
      value = std::hypot(value, imaginary);
      if (!std::isfinite(value)) return scan.wrong(p, "the absolute value is not finite");
      mirrored = value;
    } else if (part_ == complex_part::imaginary) {
      value = imaginary;
      mirrored = symmetry_ == symmetry::symmetric || symmetry_ == symmetry::general ? imaginary : -imaginary;
    }
  }
  if (!scan.ends(p)) return nullptr;
  ++counts.entries;
  batch.edges.push_back(e);
  if (info_.has_weights) batch.values.push_back(value);
  // Half of a matrix that is no undirected graph: the other half is there with other values.
  if (symmetry_ != symmetry::general && info_.kind == direction::directed && e.source != e.target) {
    batch.edges.push_back({e.target, e.source});
    batch.values.push_back(mirrored);
  }
  return feed + 1;
}

std::optional<broken_promise> matrix_market::judge(const line_counts& counts) const {
  if (counts.entries == entries_) return std::nullopt;
  return broken_promise{count_at_, "the header says " + std::to_string(entries_) +
                                       " entries, and the file has " + std::to_string(counts.entries)};
}

}  // namespace perdure::graph::formats
