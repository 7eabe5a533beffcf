// Rows of a table of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/workload/delimited_row.hpp>
#include <perdure/workload/line_reader.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "input_file.hpp"

namespace perdure::formats {

/// Longest row in bytes. A file with a longer one is no table.
inline constexpr std::size_t longest_csv_row = std::size_t{1} << 30;

struct csv_field {
  std::string text;
  bool is_quoted = false;
};

/// Returns the text without a byte order mark. `bad_input` for UTF-16, marked or not.
std::string_view without_byte_order_mark(const input_file& file, std::string_view begin);
/// Returns the separator that the first line of a file names, as "sep=;" by spreadsheets; '\0' if it does
/// not.
char separator_named_by(std::string_view begin) noexcept;
/// Returns whether a line has no values: it is empty, or a comment.
bool is_skipped_csv_line(std::string_view begin) noexcept;
/// Returns how rows with that separator are cut.
workload::row_cutter csv_cutter(char separator);

/// Reads the rows of a file, one after the other. The file may be compressed. Thread safety: one thread at a
/// time.
class csv_rows {
 public:
  csv_rows(const input_file& file, char separator);

  /// Reads the next row. Returns false at the end. Skips lines without anything and comments. `bad_input`,
  /// `io`.
  bool next(std::vector<csv_field>& row);
  /// Returns the number of the last line of the last row.
  std::uint64_t line() const noexcept { return line_; }
  /// Returns the number of comments so far, and the line of the first one.
  std::uint64_t comments() const noexcept { return comments_; }
  std::uint64_t first_comment() const noexcept { return first_comment_; }
  /// Throws `bad_input`, which names the last line of the last row.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  bool next_block();
  void extend();
  bool cut(std::vector<csv_field>& row);
  [[noreturn]] void refuse_next(const std::string& what) const;

  const input_file& file_;
  workload::row_cutter cutter_;
  workload::line_reader lines_;
  workload::line_reader::block block_;
  std::size_t at_ = 0;  // in it
  std::uint64_t line_ = 0;
  std::uint64_t comments_ = 0;
  std::uint64_t first_comment_ = 0;
  std::string buffer_;
};

}  // namespace perdure::formats
