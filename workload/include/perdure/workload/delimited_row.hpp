// Rows of delimited text (CSV): fields between commas, semicolons, tabs or blanks, with quotation marks about
// fields that contain any of these.
#pragma once

#include <string>
#include <string_view>

namespace perdure::workload {

/// A field in place in its row: what is between the quotation marks of a quoted field.
struct row_field {
  const char* begin = nullptr;     ///< first character
  const char* end = nullptr;       ///< end of the field
  bool is_quoted = false;          ///< quotation marks were around it
  bool has_quotes_inside = false;  ///< quotation marks in it are doubled

  /// Returns the field, with each doubled quotation mark as one: where it lies, or in `buffer`.
  std::string_view text(std::string& buffer) const;
};

/// Fault of a row.
enum class row_flaw : unsigned char {
  none,          ///< the row is well-formed
  open_quote,    ///< the row ends inside a quoted field
  behind_quote,  ///< something other than blanks and a delimiter follows a quoted field
};

/// Cuts rows into fields. Thread-safe.
class row_cutter {
 public:
  /// Treatment of blanks around fields that are not quoted.
  enum class blanks : unsigned char {
    kept,     ///< part of a field that is not quoted
    dropped,  ///< before and behind a field
  };

  /// Cuts at `delimiter`, one character. A blank stands for any number of blanks and tabs.
  row_cutter(char delimiter, blanks around) : delimiter_(delimiter), around_(around) {}

  /// Returns the delimiter.
  char delimiter() const noexcept { return delimiter_; }
  /// Takes the field that begins at `p`, of a row that ends at a line feed or at `end`. Returns the place
  /// behind it: of a delimiter, a line feed, or `end`. A quoted field may have line feeds in it. On a flaw,
  /// returns where it is.
  const char* next(const char* p, const char* end, row_field& found, row_flaw& flaw) const;

 private:
  bool is_delimiter(char c) const noexcept { return c == delimiter_ || (delimiter_ == ' ' && c == '\t'); }

  char delimiter_;
  blanks around_;
};

/// Returns what stands between the fields of a row: a tab if it has one outside of quotation marks, else the
/// more frequent of comma and semicolon, else `otherwise`.
char delimiter_of(std::string_view row, char otherwise);

/// Returns the end of the row that begins at `text`: the place of the first line feed outside of quotation
/// marks, or the end of the text.
std::size_t row_end(std::string_view text) noexcept;

}  // namespace perdure::workload
