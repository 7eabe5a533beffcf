// Five words, whatever the case.
#include "matrix_banner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

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

bool has_matrix_banner(std::string_view text) noexcept {
  const std::size_t at = text.find_first_not_of(" \t");
  if (at == std::string_view::npos || text[at] != '%') return false;
  text.remove_prefix(at + 1);
  if (text.starts_with('%')) text.remove_prefix(1);
  constexpr std::string_view name = "matrixmarket";
  return text.size() >= name.size() &&
         std::equal(name.begin(), name.end(), text.begin(), [](char a, char b) { return a == (b | 32); });
}

void read_banner(const char* begin, const char* feed, complex_part part, matrix_banner& banner,
                 flaw& problem) {
  using field = matrix_banner::field;
  using symmetry = matrix_banner::symmetry;
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
  constexpr std::array mark{std::pair{std::string_view("%%matrixmarket"), only::it},
                            std::pair{std::string_view("%matrixmarket"), only::it}};
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
  if (!choose(words[0], mark, chosen)) return wrong(0, "expected %%MatrixMarket");
  if (!choose(words[1], matrix, chosen)) return wrong(1, "expected \"matrix\"");
  banner.is_dense = choose(words[2], array, chosen);
  if (!banner.is_dense && !choose(words[2], coordinate, chosen))
    return wrong(2, "expected \"coordinate\" or \"array\"");
  if (!choose(words[3], fields, banner.values)) return wrong(3, "expected pattern, integer, real or complex");
  if (!choose(words[4], symmetries, banner.form))
    return wrong(4, "expected general, symmetric, skew-symmetric or hermitian");
  if (banner.form == symmetry::hermitian && banner.values != field::complex)
    return wrong(4, "a hermitian matrix must be complex");
  if (banner.form == symmetry::skew && banner.values == field::pattern)
    return wrong(4, "a skew-symmetric matrix must have values");
  if (banner.is_dense && banner.values == field::pattern) return wrong(3, "a dense matrix must have values");
  if (!scan.ends(p)) return;
  banner.info.format = graph_format::matrix_market;
  const bool conjugate_differs = banner.form == symmetry::hermitian && part == complex_part::imaginary;
  const bool is_symmetric =
      banner.form == symmetry::symmetric || (banner.form == symmetry::hermitian && !conjugate_differs) ||
      (banner.form == symmetry::skew && banner.values == field::complex && part == complex_part::modulus);
  banner.info.kind = is_symmetric ? direction::undirected : direction::directed;
  banner.info.has_weights = banner.values != field::pattern;
  banner.info.description = std::string("Matrix Market, ") + (banner.is_dense ? "dense, " : "") +
                            std::string(words[3]) + ", " + std::string(words[4]);
}

const char* read_value(const char* p, const line_scanner& scan, const matrix_banner& banner,
                       complex_part part, matrix_value& found) {
  using field = matrix_banner::field;
  using symmetry = matrix_banner::symmetry;
  if (banner.values != field::pattern) {
    const char* const at = after_blanks(p);
    p = scan.finite(p, found.value, "the value");
    if (p == nullptr) return nullptr;
    if (banner.values == field::integer && std::trunc(found.value) != found.value)
      return scan.wrong(at, "the value is not a whole number, which the header says");
    found.mirrored = banner.form == symmetry::skew ? -found.value : found.value;
  }
  if (banner.values == field::complex) {
    double imaginary = 0;
    p = scan.finite(p, imaginary, "the imaginary part");
    if (p == nullptr) return nullptr;
    if (part == complex_part::modulus) {
      found.value = std::hypot(found.value, imaginary);
      if (!std::isfinite(found.value)) return scan.wrong(p, "the absolute value is not finite");
      found.mirrored = found.value;
    } else if (part == complex_part::imaginary) {
      found.value = imaginary;
      found.mirrored =
          banner.form == symmetry::symmetric || banner.form == symmetry::general ? imaginary : -imaginary;
    }
  }
  return scan.ends(p) ? p : nullptr;
}

void add_entry(const edge& e, const matrix_value& found, const matrix_banner& banner, edge_batch& batch) {
  batch.edges.push_back(e);
  if (banner.info.has_weights) batch.values.push_back(found.value);
  if (!banner.has_mirrored_arcs() || e.source == e.target) return;
  batch.edges.push_back({e.target, e.source});
  batch.values.push_back(found.mirrored);
}

}  // namespace perdure::graph::formats
