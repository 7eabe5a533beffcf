// Writes columns of values as text, CSV or an array of NumPy.
#include <array>
#include <bit>
#include <charconv>
#include <perdure/graph/result_table.hpp>
#include <utility>

namespace perdure::graph {

namespace {

constexpr std::size_t piece = std::size_t{1} << 16;

/// A field of RFC 4180, between quotes where it needs them.
std::string comma_separated_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

table_format table_format_of(const std::filesystem::path& path) {
  if (path.extension() == ".npy") return table_format::numpy;
  return path.extension() == ".csv" ? table_format::csv : table_format::text;
}

data_type record_type(const std::vector<result_column>& columns) {
  std::vector<data_field> fields;
  fields.reserve(columns.size());
  for (const result_column& one : columns)
    fields.push_back({one.name, fields.size() * sizeof(std::uint64_t),
                      one.is_real ? element_kind::float64 : element_kind::uint64});
  const std::size_t size = fields.size() * sizeof(std::uint64_t);
  return data_type::structure(std::move(fields), size, alignof(std::uint64_t));
}

result_table::result_table(table_format format, std::vector<result_column> columns,
                           std::function<void(std::string_view)> write, char separator, name_lookup names)
    : write_(std::move(write)),
      columns_(std::move(columns)),
      format_(format),
      separator_(format == table_format::csv ? ',' : separator),
      names_(format == table_format::csv ? std::move(names) : nullptr) {
  if (format_ != table_format::csv) return;
  for (const result_column& one : columns_) {
    pending_ += (pending_.empty() ? "" : ",") + one.name;
    if (one.is_vertex && names_) pending_ += one.name == "id" ? ",name" : "," + one.name + "_name";
  }
  pending_ += '\n';
}

void result_table::line_of(std::uint64_t id, std::span<const std::uint64_t> values) {
  put(vertex_value{id});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const result_column& column = columns_[i + 1];
    if (column.is_vertex) {
      put(vertex_value{values[i]});
    } else if (column.is_real) {
      put(std::bit_cast<double>(values[i]));
    } else {
      put(values[i]);
    }
  }
  end_line();
}

void result_table::finish() {
  if (format_ == table_format::numpy) write_(numpy_header());
  if (!pending_.empty()) write_(pending_);
  pending_.clear();
}

void result_table::put(double value) {
  if (is_binary()) return put_bytes(&value);
  std::array<char, 32> text;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  separate();
  pending_.append(text.data(), static_cast<std::size_t>(end - text.data()));
}

void result_table::put(vertex_value vertex) {
  put_whole(vertex.id);
  if (!names_) return;
  separate();
  pending_ += comma_separated_field(names_(vertex.id));
}

void result_table::put_whole(std::uint64_t value) {
  if (is_binary()) return put_bytes(&value);
  std::array<char, 20> text;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  separate();
  pending_.append(text.data(), static_cast<std::size_t>(end - text.data()));
}

void result_table::put_bytes(const void* value) {
  pending_.append(static_cast<const char*>(value), sizeof(std::uint64_t));
}

void result_table::separate() {
  if (!std::exchange(at_beginning_, false)) pending_ += separator_;
}

void result_table::end_line() {
  ++lines_;
  at_beginning_ = true;
  if (format_ == table_format::numpy) return;
  if (format_ != table_format::records) pending_ += '\n';
  if (pending_.size() < piece) return;
  write_(pending_);
  pending_.clear();
}

// Version 1.0 of the format: a magic number, the length of what follows, and that in Python's words, filled
// up with blanks so that the array begins at a multiple of 64.
std::string result_table::numpy_header() const {
  std::string fields;
  for (const result_column& one : columns_)
    fields += "('" + one.name + "', '" + (one.is_real ? "<f8" : "<u8") + "'), ";
  std::string words =
      "{'descr': [" + fields + "], 'fortran_order': False, 'shape': (" + std::to_string(lines_) + ",), }";
  constexpr std::size_t before = 10;
  while ((before + words.size() + 1) % 64 != 0) words += ' ';
  words += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(words.size() % 256);
  header += static_cast<char>(words.size() / 256);
  return header + words;
}

}  // namespace perdure::graph
