// Reads rows of tables of text.
#include "csv_rows.hpp"

#include <algorithm>
#include <cstring>

namespace perdure::formats {

namespace {

constexpr std::size_t most_columns = std::size_t{1} << 20;
constexpr std::size_t longest_field = std::size_t{64} << 20;

}  // namespace

std::string_view without_byte_order_mark(const input_file& file, std::string_view begin) {
  constexpr std::string_view utf8 = "\xEF\xBB\xBF";
  const auto is_zero = [begin](std::size_t i) { return i < begin.size() && begin[i] == '\0'; };
  // Without a mark, ASCII has a zero byte in each character.
  const bool is_unmarked =
      begin.size() >= 4 && is_zero(0) == is_zero(2) && is_zero(1) == is_zero(3) && is_zero(0) != is_zero(1);
  if (begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF") || is_unmarked)
    file.refuse("it is UTF-16: convert it to UTF-8, as by `iconv -f UTF-16 -t UTF-8`");
  if (begin.starts_with(utf8)) begin.remove_prefix(utf8.size());
  return begin;
}

char separator_named_by(std::string_view begin) noexcept {
  constexpr std::string_view word = "sep=";
  if (!begin.starts_with(word) || begin.size() < word.size() + 2) return '\0';
  const std::string_view rest = begin.substr(word.size() + 1);
  return rest.starts_with('\n') || rest.starts_with("\r\n") ? begin[word.size()] : '\0';
}

bool is_skipped_csv_line(std::string_view begin) noexcept {
  return begin.starts_with('#') || begin.starts_with('\n') || begin.starts_with("\r\n");
}

workload::row_cutter csv_cutter(char separator) {
  using blanks = workload::row_cutter::blanks;
  return {separator, separator == ' ' ? blanks::dropped : blanks::kept};
}

csv_rows::csv_rows(const input_file& file, char separator)
    : file_(file),
      cutter_(csv_cutter(separator)),
      lines_(workload::open_byte_stream(file.path()), longest_csv_row) {}

bool csv_rows::next(std::vector<csv_field>& row) {
  for (;;) {
    if (at_ == block_.text.size() && !next_block()) return false;
    const std::string_view rest(block_.text.data() + at_, block_.text.size() - at_);
    if (!is_skipped_csv_line(rest)) break;
    at_ += rest.find('\n') + 1;
    ++line_;
    if (rest.front() == '#' && comments_++ == 0) first_comment_ = line_;
  }
  while (!cut(row)) extend();
  return true;
}

bool csv_rows::next_block() {
  at_ = 0;
  if (!lines_.next(block_)) {
    block_.text.clear();
    return false;
  }
  const std::string_view all(block_.text.data(), block_.text.size());
  if (line_ != 0) return true;
  const std::string_view begin = without_byte_order_mark(file_, all);
  at_ = all.size() - begin.size();
  if (separator_named_by(begin) == '\0') return true;
  at_ += begin.find('\n') + 1;
  ++line_;
  return at_ != block_.text.size() || next_block();
}

/// Adds to a block that ends inside quotation marks at least as much as the row has, so that rows are not cut
/// more often than their length asks for.
void csv_rows::extend() {
  std::vector<char> joined(block_.text.begin() + static_cast<std::ptrdiff_t>(at_), block_.text.end());
  const std::size_t wanted = 2 * joined.size();
  do {
    if (!lines_.next(block_)) {
      if (joined.size() > wanted / 2) break;
      refuse_next("a quotation mark lacks its other one");
    }
    joined.insert(joined.end(), block_.text.begin(), block_.text.end());
  } while (joined.size() < wanted);
  block_.text = std::move(joined);
  at_ = 0;
}

/// Takes a row of the block. Returns false where the block ends inside quotation marks.
bool csv_rows::cut(std::vector<csv_field>& row) {
  const char* const begin = block_.text.data() + at_;
  const char* const end = block_.text.data() + block_.text.size();
  std::size_t fields = 0;
  bool has_quotes = false;
  const char* p = begin;
  for (;; ++p) {
    workload::row_field found;
    workload::row_flaw flaw;
    p = cutter_.next(p, end, found, flaw);
    if (flaw == workload::row_flaw::behind_quote) {
      line_ += static_cast<std::uint64_t>(std::count(begin, p, '\n')) + 1;
      refuse("something stands behind a quotation mark");
    }
    const char* const field_end = flaw == workload::row_flaw::none ? found.end : end;
    if (static_cast<std::size_t>(field_end - found.begin) > longest_field)
      refuse_next("has a field of more than 64 MiB");
    if (flaw == workload::row_flaw::open_quote) return false;
    if (fields == most_columns) refuse_next("has too many fields");
    const bool is_end = p == end || *p == '\n';
    // Blanks at the end of a row separate nothing.
    const bool is_nothing =
        cutter_.delimiter() == ' ' && is_end && found.begin == found.end && !found.is_quoted && fields != 0;
    if (!is_nothing) {
      if (fields == row.size()) row.emplace_back();
      row[fields].text.assign(found.text(buffer_));
      row[fields++].is_quoted = found.is_quoted;
    }
    has_quotes = has_quotes || found.is_quoted;
    if (is_end) break;
  }
  row.resize(fields);
  line_ += 1 + (has_quotes ? static_cast<std::uint64_t>(std::count(begin, p, '\n')) : 0);
  at_ += static_cast<std::size_t>(p - begin) + (p == end ? 0 : 1);
  return true;
}

void csv_rows::refuse(const std::string& what) const {
  file_.refuse("line " + std::to_string(line_) + ": " + what);
}

void csv_rows::refuse_next(const std::string& what) const {
  file_.refuse("line " + std::to_string(line_ + 1) + ": " + what);
}

}  // namespace perdure::formats
