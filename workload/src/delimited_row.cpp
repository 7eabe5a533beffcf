// Cuts rows of delimited text.
#include <cstddef>
#include <perdure/workload/delimited_row.hpp>

namespace perdure::workload {
namespace {

constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t';
}

}  // namespace

std::string_view row_field::text(std::string& buffer) const {
  const std::string_view raw(begin, static_cast<std::size_t>(end - begin));
  if (!has_quotes_inside) return raw;
  buffer.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    buffer += raw[i];
    if (raw[i] == '"') ++i;
  }
  return buffer;
}

const char* row_cutter::next(const char* p, const char* end, row_field& found, row_flaw& flaw) const {
  found = {};
  flaw = row_flaw::none;
  const bool drops = around_ == blanks::dropped;
  const auto is_around = [&](char c) { return is_blank(c) && !is_delimiter(c); };
  if (drops)
    while (p < end && (delimiter_ == ' ' ? is_blank(*p) : is_around(*p))) ++p;
  if (p < end && *p == '"') {
    found.is_quoted = true;
    found.begin = ++p;
    for (;; ++p) {
      if (p >= end) {
        flaw = row_flaw::open_quote;
        return found.begin - 1;
      }
      if (*p != '"') continue;
      if (p + 1 >= end || p[1] != '"') break;
      found.has_quotes_inside = true;
      ++p;
    }
    found.end = p++;
    while (p < end && (is_around(*p) || (*p == '\r' && (p + 1 == end || p[1] == '\n')))) ++p;
    if (p >= end || *p == '\n' || is_delimiter(*p)) return p;
    flaw = row_flaw::behind_quote;
    return p;
  }
  found.begin = p;
  while (p < end && *p != '\n' && !is_delimiter(*p)) ++p;
  found.end = p;
  if (found.end != found.begin && found.end[-1] == '\r' && (p == end || *p == '\n')) --found.end;
  if (drops)
    while (found.end != found.begin && is_blank(found.end[-1])) --found.end;
  return p;
}

char delimiter_of(std::string_view row, char otherwise) {
  std::size_t commas = 0;
  std::size_t semicolons = 0;
  bool is_quoted = false;
  for (const char c : row) {
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == '\t') return c;
    commas += c == ',' ? 1U : 0U;
    semicolons += c == ';' ? 1U : 0U;
  }
  if (commas == 0 && semicolons == 0) return otherwise;
  return semicolons > commas ? ';' : ',';
}

std::size_t row_end(std::string_view text) noexcept {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == '\n' && !is_quoted) return i;
  }
  return text.size();
}

}  // namespace perdure::workload
