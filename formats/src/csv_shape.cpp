// Detects separators, names of columns and decimal commas.
#include "csv_shape.hpp"

#include <algorithm>
#include <array>
#include <perdure/error.hpp>
#include <perdure/formats/array_text.hpp>
#include <string_view>
#include <utility>

#include "csv_leaves.hpp"
#include "unicode.hpp"

namespace perdure::formats {

namespace {

constexpr std::size_t most_sample_rows = 200;
constexpr std::string_view separators("\t;,| ");

/// Some of the first rows, without comments. `named` becomes the separator that the first line names, if any.
std::vector<std::string> sample_of(const input_file& file, char& named) {
  workload::line_reader lines(workload::open_byte_stream(file.path()), longest_csv_row);
  workload::line_reader::block block;
  std::vector<std::string> rows;
  if (!lines.next(block)) return rows;
  std::string_view rest =
      without_byte_order_mark(file, std::string_view(block.text.data(), block.text.size()));
  named = separator_named_by(rest);
  if (named != '\0') rest.remove_prefix(rest.find('\n') + 1);
  while (!rest.empty() && rows.size() < most_sample_rows) {
    const bool is_skipped = is_skipped_csv_line(rest);
    const std::size_t end = is_skipped ? rest.find('\n') : workload::row_end(rest);
    // A row may go on in the next block.
    if (end == rest.size() && !rows.empty()) break;
    if (!is_skipped) rows.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return rows;
}

std::vector<csv_field> fields_of(std::string_view row, char separator) {
  const workload::row_cutter cutter = csv_cutter(separator);
  std::vector<csv_field> fields;
  std::string buffer;
  const char* const end = row.data() + row.size();
  for (const char* p = row.data();; ++p) {
    workload::row_field found;
    workload::row_flaw flaw;
    p = cutter.next(p, end, found, flaw);
    if (flaw != workload::row_flaw::none) return {};
    const bool is_nothing = separator == ' ' && p == end && found.begin == found.end && !found.is_quoted;
    if (!is_nothing || fields.empty()) fields.push_back({std::string(found.text(buffer)), found.is_quoted});
    if (p == end) return fields;
  }
}

/// Returns whether a separator cuts all rows into the same number of fields, which is more than one.
bool cuts_evenly(const std::vector<std::string>& rows, char separator) {
  const std::size_t columns = fields_of(rows[0], separator).size();
  return columns > 1 && std::all_of(rows.begin(), rows.end(), [&](const std::string& row) {
           return fields_of(row, separator).size() == columns;
         });
}

bool is_any_number(const csv_field& field) {
  return kind_of(field) != column_kind::text || odd_number_of(field) != odd_number::none;
}

/// Returns whether the commas in the fields between semicolons are those of numbers.
bool has_commas_in_numbers(const std::vector<std::string>& rows) {
  for (const std::string& row : rows)
    for (const csv_field& field : fields_of(row, ';'))
      if (!field.is_quoted && field.text.find(',') != std::string::npos && !is_any_number(field))
        return false;
  return true;
}

bool are_numbers_between_blanks(const std::vector<std::string>& rows) {
  return std::all_of(rows.begin() + (rows.size() > 1 ? 1 : 0), rows.end(), [](const std::string& row) {
    const std::vector<csv_field> fields = fields_of(row, ' ');
    return std::all_of(fields.begin(), fields.end(), is_any_number);
  });
}

char separator_of(const input_file& file, char decimal) {
  char named = '\0';
  const std::vector<std::string> rows = sample_of(file, named);
  if (named != '\0') return named;
  if (rows.empty()) return ',';
  std::string even;
  for (const char one : separators)
    if ((one != ',' || decimal != ',') && cuts_evenly(rows, one)) even += one;
  const auto has = [&even](char one) { return even.find(one) != std::string::npos; };
  if (has('\t')) return '\t';
  if (has(';') && has(',') && !has_commas_in_numbers(rows))
    file.refuse("its fields may be separated by ';' or by ',': say which (--separator)");
  if (has(';')) return ';';
  if (has(',')) return ',';
  // The first row decides. The line that has another number of fields is named then.
  const char first = workload::delimiter_of(rows[0], '\0');
  if (first != '\0' && (first != ',' || decimal != ',')) return first;
  if (has('|')) return '|';
  if (has(' ') && are_numbers_between_blanks(rows)) return ' ';
  // There is one column.
  return decimal == ',' ? ';' : ',';
}

bool parses_as(const csv_field& field, const data_type& type) {
  if (type.kind() == element_kind::text || type.kind() == element_kind::character) return true;
  std::array<std::byte, 16> ignored{};
  return type.size() <= ignored.size() &&
         parse_element(is_blank(field.text) ? "nan" : std::string_view(field.text), type, ignored.data());
}

/// Returns whether a row can be an element of the type that was asked for, or elements of it.
bool parses_as(const std::vector<csv_field>& row, const data_type& type) {
  if (type.kind() != element_kind::structure)
    return std::all_of(row.begin(), row.end(), [&](const csv_field& one) { return parses_as(one, type); });
  // A struct within another one has several columns: then its line of names is told by its kinds alone.
  if (type.fields().size() != row.size()) return true;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (!parses_as(row[i], type.fields()[i].type.base())) return false;
  return true;
}

/// Rows that decide whether the first one has names.
struct first_rows {
  std::vector<csv_field> first;
  std::uint64_t line = 0;
  std::vector<csv_field> second;
  /// Whether a text behind the first row is quoted that could stand without.
  bool has_needless_quotes = false;
};

bool needs_quotes(const std::string& text, char separator) {
  return text.empty() || text.find_first_of("\"\r\n#") != std::string::npos ||
         text.find(separator) != std::string::npos || text.front() == ' ' || text.back() == ' ';
}

/// Returns whether the first row has texts alone. The name of the first column may be empty, as that of
/// numbers of rows often is, and those of columns without anything.
bool may_be_names(const std::vector<csv_field>& row, const std::vector<csv_column>& columns) {
  bool has_text = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool is_text = !is_any_number(row[i]) && !row[i].text.empty();
    const bool may_lack_name = row.size() > 1 && (i == 0 || columns[i].longest() == 0);
    if (!is_text && !(may_lack_name && is_blank(row[i].text))) return false;
    has_text = has_text || is_text;
  }
  return has_text;
}

/// Returns whether a row has the names that the columns of the type have.
bool are_names_of(const std::vector<csv_field>& row, const data_type& type) {
  if (type.kind() != element_kind::structure) return false;
  const std::vector<leaf> leaves = leaves_of(type);
  return std::equal(row.begin(), row.end(), leaves.begin(), leaves.end(),
                    [](const csv_field& field, const leaf& one) { return field.text == one.name; });
}

/// Returns whether the first row has names, by what is in it and in the others.
bool has_names(const input_file& file, const csv_shape& shape, const first_rows& rows,
               const std::optional<data_type>& type) {
  if (type && are_names_of(rows.first, *type)) return true;
  if (!may_be_names(rows.first, shape.kinds)) return false;
  const bool has_numbers = std::any_of(shape.kinds.begin(), shape.kinds.end(), [](const csv_column& column) {
    const column_kind kind = column.result('.');
    return kind != column_kind::text && (kind != column_kind::nothing || column.refused('.') != nullptr);
  });
  // The program's own tables quote texts, and not the names above them.
  const bool are_unquoted =
      std::none_of(rows.first.begin(), rows.first.end(), [](const csv_field& one) { return one.is_quoted; });
  const bool are_quoted_below =
      rows.has_needless_quotes && std::all_of(shape.kinds.begin(), shape.kinds.end(),
                                              [](const csv_column& one) { return one.is_all_quoted(); });
  const bool is_no_value =
      type && !parses_as(rows.first, *type) && (rows.second.empty() || parses_as(rows.second, *type));
  if (!has_numbers && !(are_unquoted && are_quoted_below) && !is_no_value) return false;
  const auto odd = std::find_if(rows.first.begin(), rows.first.end(), may_be_value);
  if (odd == rows.first.end()) return true;
  file.refuse(
      "line " + std::to_string(rows.line) + ": \"" + odd->text.substr(0, 40) +
      "\" may be the name of a column or a value: say whether the first line has names (--header yes or "
      "--header no)");
}

void take_names(const input_file& file, csv_shape& shape, const first_rows& rows) {
  shape.has_header = true;
  for (std::size_t i = 0; i < rows.first.size(); ++i) {
    const std::string& name = rows.first[i].text;
    shape.names.push_back(is_blank(name) ? 'f' + std::to_string(i) : name);
  }
  std::vector<std::string> sorted = shape.names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    file.refuse("line " + std::to_string(rows.line) + ": two columns are called \"" + twice->substr(0, 40) +
                '"');
}

/// The decimal separator that all numbers of the table agree with.
char decimal_of(const input_file& file, const csv_shape& shape, char given) {
  if (given != '\0') return given;
  const csv_mention* comma = nullptr;
  const csv_mention* either = nullptr;
  const csv_mention* point = nullptr;
  for (const csv_column& one : shape.kinds) {
    if (comma == nullptr) comma = one.with_comma();
    if (either == nullptr) either = one.with_comma_or_groups();
    if (point == nullptr) point = one.with_point();
  }
  if (comma == nullptr && either == nullptr) return '.';
  const csv_mention& found = comma != nullptr ? *comma : *either;
  const std::string begin = "line " + std::to_string(found.line) + ": \"" + found.text + '"';
  if (point != nullptr)
    file.refuse(begin + " has a comma, and \"" + point->text + "\" in line " + std::to_string(point->line) +
                " a decimal point: say what is before fractions (--decimal , or --decimal .)");
  if (comma == nullptr)
    file.refuse(begin +
                " may be a fraction or thousands: say what is before fractions (--decimal , or --decimal .)");
  return ',';
}

/// Returns how to write a number that has separators of thousands, another one before its fraction, or an
/// exponent as Fortran writes it.
std::string advice_for(std::string number, char decimal) {
  const char other = decimal == ',' ? '.' : ',';
  const bool has_other_alone = number.find(decimal) == std::string::npos && decimal == ',';
  if (has_other_alone) return "write a comma before its fraction, and nothing between thousands";
  const std::size_t point = number.find('.');
  const std::size_t comma = number.find(',');
  const bool has_fraction_behind_comma = comma != std::string::npos && point < comma;
  std::erase_if(
      number, [&](char c) { return c == '_' || c == '\'' || c == (has_fraction_behind_comma ? '.' : ','); });
  std::replace(number.begin(), number.end(), other, decimal);
  std::replace_if(
      number.begin(), number.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  return "write it as " + number;
}

void refuse_odd_numbers(const input_file& file, const csv_shape& shape) {
  for (const csv_column& one : shape.kinds) {
    const csv_mention* const odd = one.refused(shape.decimal);
    if (odd == nullptr) continue;
    const std::string begin = "line " + std::to_string(odd->line) + ": \"" + odd->text + '"';
    if (odd->odd == odd_number::beyond)
      file.refuse(
          begin +
          " is a number that float64 does not have: put it in quotation marks if it is a text, or read "
          "all as texts (--type string)");
    file.refuse(begin + " is no number as it stands: " + advice_for(odd->text, shape.decimal) +
                ", or put it in quotation marks if it is a text");
  }
}

}  // namespace

csv_shape shape_of_csv(const input_file& file, const std::optional<data_type>& type,
                       const table_options& options) {
  if (options.separator != '\0' && options.separator == options.decimal)
    throw error(errc::invalid_argument, "fields and fractions cannot be separated by the same character");
  csv_shape shape;
  shape.separator = options.separator != '\0' ? options.separator : separator_of(file, options.decimal);
  csv_rows rows(file, shape.separator);
  std::vector<csv_field> row;
  first_rows begin;
  while (rows.next(row)) {
    for (const csv_field& one : row) {
      shape.text_bytes += one.text.size();
      if (!one.is_quoted && one.text.find('\r') != std::string::npos)
        rows.refuse(
            "a carriage return is in the middle of it: lines end with line feeds, with or without one "
            "before");
      if (!is_utf8(one.text))
        rows.refuse('"' + sound_utf8(one.text.substr(0, 40)) +
                    "\" is not UTF-8: convert the file, as by `iconv -f LATIN1 -t UTF-8`");
    }
    if (shape.rows++ == 0) {
      begin.first = row;
      begin.line = rows.line();
      shape.columns = row.size();
      shape.kinds.resize(row.size());
      continue;
    }
    if (shape.rows == 2) begin.second = row;
    if (row.size() != shape.columns)
      file.refuse("line " + std::to_string(rows.line()) + " has " + std::to_string(row.size()) +
                  (row.size() == 1 ? " field" : " fields") + ", and the first one " +
                  std::to_string(shape.columns));
    for (std::size_t i = 0; i < row.size(); ++i) {
      shape.kinds[i].add(row[i], rows.line());
      begin.has_needless_quotes =
          begin.has_needless_quotes || (row[i].is_quoted && !needs_quotes(row[i].text, shape.separator));
    }
  }
  shape.comments = rows.comments();
  shape.first_comment = rows.first_comment();
  if (shape.rows == 0 && !type) file.refuse("it has no values");
  const bool is_header = options.header == header_line::yes ||
                         (options.header == header_line::automatic && has_names(file, shape, begin, type));
  if (is_header && shape.rows != 0) {
    take_names(file, shape, begin);
    --shape.rows;
  } else {
    for (std::size_t i = 0; i < begin.first.size(); ++i) shape.kinds[i].add(begin.first[i], begin.line);
  }
  const bool are_texts =
      type && (type->kind() == element_kind::text || type->kind() == element_kind::character);
  if (are_texts) return shape;
  shape.decimal = decimal_of(file, shape, options.decimal);
  if (!type) refuse_odd_numbers(file, shape);
  if (!type && shape.rows == 0) file.refuse("it has names of columns, and no values");
  return shape;
}

}  // namespace perdure::formats
