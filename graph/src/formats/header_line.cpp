#include "header_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <perdure/error.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <perdure/workload/delimited_row.hpp>
#include <string>
#include <vector>

#include "column_names.hpp"
#include "delimited.hpp"

namespace perdure::graph::formats {
namespace {

using fields = std::vector<std::string>;

bool is_number(const std::string& field) {
  double value = 0;
  const char* const end = field.data() + field.size();
  const auto result = std::from_chars(field.data(), end, value);
  return result.ec != std::errc::invalid_argument && result.ptr == end;
}

bool is_id(const std::string& field) {
  return !field.empty() && std::all_of(field.begin(), field.end(), is_digit);
}

bool has_column_named(const fields& first, const std::string& column) {
  return !column.empty() && !is_id(column) && std::find(first.begin(), first.end(), column) != first.end();
}

bool says_table(char delimiter, const std::filesystem::path& name) {
  const std::filesystem::path ending = workload::uncompressed_name(name).extension();
  return delimiter != ' ' || ending == ".csv" || ending == ".tsv";
}

/// Returns whether the lines behind the first have ids where edges have theirs.
bool have_ids(const std::vector<fields>& lines, const graph_file_options& options) {
  if (lines.size() < 2) return false;
  chosen_fields chosen;
  try {
    chosen = choose_fields(lines.front(), options);
  } catch (const error&) {
    return false;  // said where the columns are chosen
  }
  return std::all_of(lines.begin() + 1, lines.end(), [&](const fields& line) {
    return line.size() > std::max(chosen.source, chosen.target) && is_id(line[chosen.source]) &&
           is_id(line[chosen.target]);
  });
}

}  // namespace

bool begins_with_header(const file_head& text, const std::filesystem::path& name,
                        const graph_file_options& options) {
  if (options.header != header_line::automatic) return options.header == header_line::yes;
  const std::vector<std::string_view> lines = first_data_lines({text.bytes, true, 0});
  if (lines.empty()) return false;
  const char delimiter = separator_of(lines.front());
  std::vector<fields> rows;
  rows.reserve(lines.size());
  for (const std::string_view line : lines) rows.push_back(fields_of(line, delimiter));
  const fields& first = rows.front();
  if (first.size() < 2 || std::any_of(first.begin(), first.end(), is_number)) return false;
  if (has_column_named(first, options.source_column) || has_column_named(first, options.target_column) ||
      has_column_named(first, options.weight_column) || has_column_named(first, options.time_column))
    return true;
  if (have_ids(rows, options)) return true;
  if (says_table(delimiter, name)) {
    if (names_a_column(first)) return true;
    if (!names_both_ends_nearly(first)) return false;
  } else if (!names_both_ends(first)) {
    return false;
  }
  throw error(errc::invalid_argument,
              "the first line (\"" + std::string(lines.front()) +
                  "\") may name columns, or be an edge: say which with --header yes or "
                  "--header no");
}

}  // namespace perdure::graph::formats
