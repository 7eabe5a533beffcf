// Parts of a report's page: numbers, tables, lists and sections as HTML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command.hpp"

namespace perdure::cli {

/// Returns a fact, or 0, an empty text or no rows where it is not there.
///@{
std::uint64_t number_at(const json& facts, const char* key);
std::string text_at(const json& facts, const char* key);
const json& rows_at(const json& facts, const char* key);
///@}

/// Returns a name or a type, escaped and shortened.
std::string shown(std::string_view text);
/// Returns a number with its unit in a column of its own, so that digits stand below each other.
std::string with_unit(const std::string& text);
std::string bytes_cell(std::uint64_t bytes);
/// Returns a bar and a percentage.
std::string share_cell(std::uint64_t bytes, std::uint64_t whole);
std::string six_digits(double value);
/// Returns "2026-11-21 01:02:03" for "2026-11-21T01:02:03Z".
std::string time_of_day(std::string time);
/// Returns a time span in the largest unit that fits.
std::string span_of(std::uint64_t nanoseconds);

/// A column of a table: its heading, and the style class of its cells.
struct report_column {
  const char* heading;
  const char* style;
};

/// A table whose rows may become blocks on a narrow screen. The first cell of a row is its heading. Cells are
/// markup: whoever adds them has escaped the text in them.
class report_table {
 public:
  report_table(std::vector<report_column> columns, const std::string& label, bool becomes_blocks = true);
  void row(const std::vector<std::string>& cells);
  std::string finish() { return html_ + "</tbody></table></div>"; }

 private:
  std::vector<report_column> columns_;
  std::string html_;
};

std::string tile(const std::string& value, const std::string& label, const char* style = "");
/// Returns the tile with the epoch and the time of the last checkpoint.
std::string epoch_tile(const json& facts);
std::string begin_section(const char* id, const char* heading);
/// Returns a list of facts. Values are markup.
std::string facts_list(const std::vector<std::pair<std::string, std::string>>& facts);
std::string paragraph(const std::string& text, const char* style = "");
/// Returns coloured squares with their meanings: style classes and texts.
std::string legend(const std::vector<std::pair<std::string, std::string>>& entries);

/// Returns a picture with a heading and its largest value above, and the names of its ends below.
std::string chart_of(const std::string& heading, const std::string& largest, const std::string& svg,
                     const std::string& first, const std::string& last);

/// The outcome of a verification, with what goes before the names of its files.
using verified_part = std::pair<std::string, const json*>;
/// Returns a table of all findings; nothing if there are none.
std::string findings_table(const std::vector<verified_part>& parts);
/// Returns the sentences of parts that could not be read; nothing if there are none.
std::string list_of_problems(const json& facts);

}  // namespace perdure::cli
