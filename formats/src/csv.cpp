// Reads and writes tables as text.
#include "csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <perdure/error.hpp>
#include <perdure/formats/array_text.hpp>
#include <perdure/workload/delimited_row.hpp>
#include <perdure/workload/line_reader.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "input_file.hpp"

namespace perdure::formats {

namespace {

constexpr std::size_t csv_buffer_bytes = std::size_t{1} << 18;
constexpr std::size_t most_columns = std::size_t{1} << 20;
constexpr std::size_t longest_field = std::size_t{64} << 20;
// Of one line: longer ones are no table.
constexpr std::size_t longest_row = std::size_t{1} << 30;

struct csv_field {
  std::string text;
  bool is_quoted = false;
};

/// Rows of a file, one after the other. It may be compressed.
class csv_rows {
 public:
  csv_rows(const input_file& file, char separator)
      : file_(file),
        cutter_(separator, workload::row_cutter::blanks::kept),
        lines_(workload::open_byte_stream(file.path()), longest_row) {}

  /// False at the end. Lines without anything and comments are skipped.
  bool next(std::vector<csv_field>& row) {
    for (;;) {
      if (at_ == block_.text.size() && !next_block()) return false;
      const char* const begin = block_.text.data() + at_;
      const bool is_empty = *begin == '\n' || (*begin == '\r' && begin[1] == '\n');
      if (*begin != '#' && !is_empty) break;
      const auto* const feed = static_cast<const char*>(std::memchr(begin, '\n', block_.text.size() - at_));
      at_ += static_cast<std::size_t>(feed - begin) + 1;
      ++line_;
    }
    while (!cut(row)) extend();
    return true;
  }
  /// The number of the last line of the last row.
  std::uint64_t line() const noexcept { return line_; }

 private:
  bool next_block() {
    at_ = 0;
    if (!lines_.next(block_)) {
      block_.text.clear();
      return false;
    }
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (line_ == 0 && std::string_view(block_.text.data(), block_.text.size()).starts_with(byte_order_mark))
      at_ = byte_order_mark.size();
    return true;
  }

  /// Adds to a block that ends inside quotation marks at least as much as the row has, so that rows are not
  /// cut more often than their length asks for.
  void extend() {
    std::vector<char> joined(block_.text.begin() + static_cast<std::ptrdiff_t>(at_), block_.text.end());
    const std::size_t wanted = 2 * joined.size();
    do {
      if (!lines_.next(block_)) {
        if (joined.size() > wanted / 2) break;
        refuse("a quotation mark lacks its other one");
      }
      joined.insert(joined.end(), block_.text.begin(), block_.text.end());
    } while (joined.size() < wanted);
    block_.text = std::move(joined);
    at_ = 0;
  }

  /// Takes a row of the block. False where the block ends inside quotation marks.
  bool cut(std::vector<csv_field>& row) {
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
        file_.refuse("line " + std::to_string(line_) + ": something stands behind a quotation mark");
      }
      const char* const field_end = flaw == workload::row_flaw::none ? found.end : end;
      if (static_cast<std::size_t>(field_end - found.begin) > longest_field)
        refuse("has a field of more than 64 MiB");
      if (flaw == workload::row_flaw::open_quote) return false;
      if (fields == most_columns) refuse("has too many fields");
      if (fields == row.size()) row.emplace_back();
      row[fields].text.assign(found.text(buffer_));
      row[fields++].is_quoted = found.is_quoted;
      has_quotes = has_quotes || found.is_quoted;
      if (p == end || *p == '\n') break;
    }
    row.resize(fields);
    line_ += 1 + (has_quotes ? static_cast<std::uint64_t>(std::count(begin, p, '\n')) : 0);
    at_ += static_cast<std::size_t>(p - begin) + (p == end ? 0 : 1);
    return true;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    file_.refuse("line " + std::to_string(line_ + 1) + ": " + what);
  }

  const input_file& file_;
  workload::row_cutter cutter_;
  workload::line_reader lines_;
  workload::line_reader::block block_;
  std::size_t at_ = 0;  // in it
  std::uint64_t line_ = 0;
  std::string buffer_;
};

/// What the fields of a column are: each can hold what the ones before it can.
enum class column_kind { nothing, boolean, integer, positive, real, complex, text };

bool parses_as(std::string_view text, element_kind kind) {
  std::array<std::byte, 16> ignored{};
  return parse_element(text, kind, ignored.data());
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

column_kind kind_of(const csv_field& field) {
  if (field.is_quoted) return column_kind::text;
  if (is_blank(field.text)) return column_kind::real;
  const std::string_view text = field.text;
  if (parses_as(text, element_kind::int64)) return column_kind::integer;
  if (parses_as(text, element_kind::uint64)) return column_kind::positive;
  if (parses_as(text, element_kind::boolean)) return column_kind::boolean;
  if (parses_as(text, element_kind::float64)) return column_kind::real;
  if (parses_as(text, element_kind::complex128)) return column_kind::complex;
  return column_kind::text;
}

column_kind joined(column_kind a, column_kind b) {
  if (a > b) std::swap(a, b);
  if (a == b || a == column_kind::nothing) return b;
  if (a == column_kind::boolean) return column_kind::text;
  return b;
}

/// A column of integers may have negative ones and ones beyond int64.
struct csv_column {
  column_kind kind = column_kind::nothing;
  bool has_negative = false;
  bool has_empty = false;

  void add(const csv_field& field) {
    kind = joined(kind, kind_of(field));
    has_empty = has_empty || (!field.is_quoted && is_blank(field.text));
    has_negative = has_negative || field.text.find('-') != std::string::npos;
  }
  column_kind result() const {
    if (kind == column_kind::positive && has_negative) return column_kind::real;
    return kind;
  }
};

data_type type_for(column_kind kind) {
  switch (kind) {
    case column_kind::boolean:
      return element_kind::boolean;
    case column_kind::integer:
      return element_kind::int64;
    case column_kind::positive:
      return element_kind::uint64;
    case column_kind::complex:
      return element_kind::complex128;
    case column_kind::text:
      return element_kind::text;
    default:
      return element_kind::float64;
  }
}

/// Facts about the first row that is no comment.
char separator_in(const input_file& file) {
  workload::line_reader lines(workload::open_byte_stream(file.path()), longest_row);
  workload::line_reader::block block;
  while (lines.next(block)) {
    std::string_view rest(block.text.data(), block.text.size());
    while (!rest.empty()) {
      const bool is_skipped = rest[0] == '#' || rest[0] == '\n' || rest[0] == '\r';
      const std::size_t end = is_skipped ? rest.find('\n') : workload::row_end(rest);
      if (!is_skipped) return workload::delimiter_of(rest.substr(0, end), ',');
      rest.remove_prefix(end + 1);
    }
  }
  return ',';
}

/// The numbers that an element consists of, in their order.
struct leaf {
  std::string name;
  data_type type;
  std::size_t offset;
};

constexpr std::size_t most_leaves = 65536;

void add_leaves(std::vector<leaf>& leaves, const std::string& name, const data_type& type,
                std::size_t offset) {
  const data_type base = type.base();
  std::vector<std::uint64_t> dims = type.dims();
  std::size_t text_length = 0;
  if (base.kind() == element_kind::character && !dims.empty()) {
    text_length = dims.back();
    dims.pop_back();
  }
  const data_type element = text_length == 0 ? base : base.array({text_length});
  std::uint64_t count = 1;
  for (const std::uint64_t n : dims) count *= n;
  if (leaves.size() + count > most_leaves)
    throw error(errc::unsupported, "elements of type " + type.text().substr(0, 100) + " have more than " +
                                       std::to_string(most_leaves) + " columns");
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string indexed = name;
    std::string index;
    std::uint64_t rest = i;
    for (std::size_t d = dims.size(); d-- > 0; rest /= dims[d])
      index.insert(0, '[' + std::to_string(rest % dims[d]) + ']');
    indexed += index;
    const std::size_t at = offset + i * element.size();
    if (base.kind() != element_kind::structure) {
      leaves.push_back({indexed, element, at});
      continue;
    }
    for (const data_field& field : base.fields())
      add_leaves(leaves, indexed.empty() ? field.name : indexed + '.' + field.name, field.type,
                 at + field.offset);
  }
}

std::vector<leaf> leaves_of(const data_type& type) {
  std::vector<leaf> leaves;
  add_leaves(leaves, "", type, 0);
  return leaves;
}

/// What the first reading finds.
struct csv_shape {
  std::uint64_t rows = 0;
  std::size_t columns = 0;
  bool has_header = false;
  std::vector<std::string> names;
  std::vector<csv_column> kinds;
};

csv_shape examine(const input_file& file, char separator) {
  csv_rows rows(file, separator);
  std::vector<csv_field> row;
  std::vector<csv_field> first;
  csv_shape shape;
  while (rows.next(row)) {
    if (shape.rows == 0) {
      first = row;
      shape.columns = row.size();
      shape.kinds.resize(row.size());
    } else {
      if (row.size() != shape.columns)
        file.refuse("line " + std::to_string(rows.line()) + " has " + std::to_string(row.size()) +
                    " fields, and the first one " + std::to_string(shape.columns));
      for (std::size_t i = 0; i < row.size(); ++i) shape.kinds[i].add(row[i]);
    }
    ++shape.rows;
  }
  if (shape.rows == 0) file.refuse("it has no values");
  const bool are_names = std::all_of(first.begin(), first.end(), [](const csv_field& field) {
    return kind_of(field) == column_kind::text && !field.text.empty();
  });
  const bool has_numbers = std::any_of(shape.kinds.begin(), shape.kinds.end(), [](const csv_column& column) {
    return column.kind != column_kind::text && column.kind != column_kind::nothing;
  });
  shape.has_header = are_names && has_numbers;
  if (shape.has_header) {
    --shape.rows;
    for (const csv_field& field : first) shape.names.push_back(field.text);
  } else {
    for (std::size_t i = 0; i < first.size(); ++i) shape.kinds[i].add(first[i]);
  }
  return shape;
}

data_type structure_for(const input_file& file, const csv_shape& shape) {
  std::vector<data_field> fields;
  std::size_t at = 0;
  for (std::size_t i = 0; i < shape.columns; ++i) {
    data_type type = type_for(shape.kinds[i].result());
    if (type.is_variable())
      throw error(errc::unsupported, file.path().string() + ": the column \"" + shape.names[i] +
                                         "\" has texts and others have numbers, which one array cannot hold: "
                                         "import them from files of their own");
    at = (at + type.alignment() - 1) / type.alignment() * type.alignment();
    const std::size_t size = type.size();
    fields.push_back({shape.names[i], at, std::move(type)});
    at += size;
  }
  std::size_t alignment = 1;
  for (const data_field& field : fields) alignment = std::max(alignment, field.type.alignment());
  try {
    return data_type::structure(std::move(fields), (at + alignment - 1) / alignment * alignment, alignment);
  } catch (const error& failure) {
    file.refuse(failure.what());
  }
}

/// Of what the file itself says.
data_type type_from(const input_file& file, const csv_shape& shape) {
  if (shape.has_header && shape.columns > 1) return structure_for(file, shape);
  csv_column all;
  for (const csv_column& column : shape.kinds) {
    all.kind = joined(all.kind, column.kind);
    all.has_negative = all.has_negative || column.has_negative;
  }
  return type_for(all.result());
}

/// Numbers of the table as elements in a file of their own.
class csv_numbers final : public array_source {
 public:
  csv_numbers(input_file elements, array_description what)
      : array_source(std::move(what)), elements_(std::move(elements)) {}

  void read(const slab& part, std::byte* to) override {
    // Whole rows, or some columns of some.
    const std::size_t size = what_.type.size();
    if (part.count.elements() == 0) return;
    if (what_.dims.rank() < 2) {
      const std::uint64_t offset = what_.dims.empty() ? 0 : part.offset[0];
      return elements_.read_at(offset * size, {to, part.count.elements() * size});
    }
    const std::uint64_t columns = what_.dims[1];
    if (part.count[1] == columns)
      return elements_.read_at(part.offset[0] * columns * size, {to, part.count.elements() * size});
    for (std::uint64_t row = 0; row < part.count[0]; ++row, to += part.count[1] * size)
      elements_.read_at(((part.offset[0] + row) * columns + part.offset[1]) * size,
                        {to, part.count[1] * size});
  }

 private:
  input_file elements_;
};

class csv_texts final : public array_source {
 public:
  csv_texts(variable_elements texts, array_description what)
      : array_source(std::move(what)), texts_(std::move(texts)) {}
  void read(const slab&, std::byte*) override {}
  variable_elements read_variable() override { return texts_; }

 private:
  variable_elements texts_;
};

void convert(const input_file& file, const csv_rows& rows, const csv_field& field, const leaf& to,
             std::byte* element) {
  const data_type base = to.type.base();
  if (base.kind() == element_kind::character) {
    if (field.text.size() > to.type.size())
      file.refuse("line " + std::to_string(rows.line()) + ": \"" + field.text.substr(0, 40) +
                  "\" has more than " + std::to_string(to.type.size()) + " characters");
    std::memcpy(element + to.offset, field.text.data(), field.text.size());
    return;
  }
  const bool is_missing = is_blank(field.text);
  if (parse_element(is_missing ? "nan" : std::string_view(field.text), base, element + to.offset)) return;
  file.refuse("line " + std::to_string(rows.line()) + ": \"" + field.text.substr(0, 40) + "\" is no " +
              base.text());
}

std::unique_ptr<array_source> read_numbers(const input_file& file, char separator, const csv_shape& shape,
                                           array_description what) {
  const std::vector<leaf> leaves = leaves_of(what.type);
  const bool are_structs = what.type.kind() == element_kind::structure;
  if (are_structs && leaves.size() != shape.columns)
    file.refuse("it has " + std::to_string(shape.columns) + " columns, and elements of type " +
                what.type.text().substr(0, 200) + " have " + std::to_string(leaves.size()));
  csv_rows rows(file, separator);
  std::vector<csv_field> row;
  input_file elements = input_file::unnamed();
  std::vector<std::byte> buffer;
  const std::size_t size = what.type.size();
  if (shape.has_header) rows.next(row);
  while (rows.next(row)) {
    const std::size_t begin = buffer.size();
    buffer.resize(begin + size * (are_structs ? 1 : row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      convert(file, rows, row[i], leaves[are_structs ? i : 0],
              buffer.data() + begin + (are_structs ? 0 : i * size));
    if (buffer.size() < csv_buffer_bytes) continue;
    elements.append(buffer);
    buffer.clear();
  }
  elements.append(buffer);
  if (elements.size() != what.dims.elements() * size) file.refuse("it changed while it was read");
  return std::make_unique<csv_numbers>(std::move(elements), std::move(what));
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_leaf(std::string& out, const leaf& one, const std::byte* element) {
  if (one.type.kind() == element_kind::character) {
    const auto* const text = reinterpret_cast<const char*>(element + one.offset);
    return append_quoted(out, {text, ::strnlen(text, one.type.size())});
  }
  append_element(out, one.type, element + one.offset);
}

void write_texts(array_source& from, char separator, const byte_sink& to) {
  const variable_elements texts = from.read_variable();
  const extents& dims = from.what().dims;
  const std::uint64_t columns = dims.rank() < 2 ? 1 : dims[1];
  std::string out;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < texts.ends.size(); ++i) {
    append_quoted(out, std::string_view(texts.bytes).substr(begin, texts.ends[i] - begin));
    begin = texts.ends[i];
    out += (i + 1) % columns == 0 ? '\n' : separator;
    if (out.size() < csv_buffer_bytes) continue;
    to(out);
    out.clear();
  }
  to(out);
}

}  // namespace

std::unique_ptr<array_source> open_csv(const std::filesystem::path& path,
                                       const std::optional<data_type>& type) {
  const input_file file(path);
  const char separator = separator_in(file);
  csv_shape shape = examine(file, separator);
  array_description what;
  if (type && !shape.has_header && type->kind() != element_kind::text &&
      type->kind() != element_kind::character) {
    // Names above columns of which nothing was known.
    shape.has_header =
        std::all_of(shape.kinds.begin(), shape.kinds.end(),
                    [](const csv_column& column) { return column.kind == column_kind::text; }) &&
        shape.rows > 1;
    if (shape.has_header) --shape.rows;
  }
  what.type = type ? *type : type_from(file, shape);
  if (!what.type.dims().empty() || what.type.kind() == element_kind::opaque ||
      what.type.kind() == element_kind::sequence)
    throw error(errc::unsupported, "tables of text have no elements of type " + what.type.text());
  what.dims.push_back(shape.rows);
  const bool is_table = shape.columns != 1 && what.type.kind() != element_kind::structure;
  if (is_table) what.dims.push_back(shape.columns);
  if (what.type.kind() != element_kind::text) return read_numbers(file, separator, shape, std::move(what));
  csv_rows rows(file, separator);
  std::vector<csv_field> row;
  variable_elements texts;
  if (shape.has_header) rows.next(row);
  while (rows.next(row))
    for (const csv_field& field : row) {
      texts.bytes += field.text;
      texts.ends.push_back(texts.bytes.size());
    }
  return std::make_unique<csv_texts>(std::move(texts), std::move(what));
}

void write_csv(array_source& from, char separator, const byte_sink& to) {
  const array_description& what = from.what();
  data_type element = what.type;
  extents dims = what.dims;
  if (element.kind() == element_kind::sequence)
    throw error(errc::unsupported, "tables of text have no elements of type " + element.text());
  // The last dimension of characters is a text.
  if (element.kind() == element_kind::character && !dims.empty()) {
    const std::uint64_t length = dims[dims.rank() - 1];
    if (length != 0) element = element.array({length});
    dims = extents(dims.span().first(dims.rank() - 1));
  }
  const bool are_structs = element.kind() == element_kind::structure;
  if (dims.rank() > (are_structs ? 1U : 2U))
    throw error(errc::unsupported, "a table of text has " +
                                       std::string(are_structs ? "one dimension" : "two dimensions") +
                                       (are_structs ? " of structs" : "") + ", and the array has the shape " +
                                       what.dims.text() + ": choose a part, as in STORE:ID[0]");
  if (element.kind() == element_kind::text) return write_texts(from, separator, to);
  const std::vector<leaf> leaves = leaves_of(element);
  std::string out;
  if (are_structs) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (i != 0) out += separator;
      const bool is_plain = leaves[i].name.find_first_of(",;\t\"\r\n#") == std::string::npos;
      if (is_plain) {
        out += leaves[i].name;
      } else {
        append_quoted(out, leaves[i].name);
      }
    }
    out += '\n';
  }
  const std::uint64_t columns = dims.rank() < 2 ? 1 : dims[1];
  std::uint64_t done = 0;
  std::vector<std::byte> bytes;
  for (array_pieces pieces = pieces_of(what); pieces.next_elements() != 0;) {
    const slab part = pieces.next();
    bytes.resize(part.count.elements() * what.type.size());
    from.read(part, bytes.data());
    for (std::size_t at = 0; at + element.size() <= bytes.size(); at += element.size()) {
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (i != 0) out += separator;
        append_leaf(out, leaves[i], bytes.data() + at);
      }
      out += ++done % columns == 0 ? '\n' : separator;
      if (out.size() < csv_buffer_bytes) continue;
      to(out);
      out.clear();
    }
  }
  to(out);
}

}  // namespace perdure::formats
