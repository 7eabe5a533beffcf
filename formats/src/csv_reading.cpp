// Reads tables of text.
#include <algorithm>
#include <cstring>
#include <perdure/error.hpp>
#include <perdure/formats/array_text.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "csv.hpp"
#include "csv_columns.hpp"
#include "csv_leaves.hpp"
#include "csv_rows.hpp"
#include "csv_shape.hpp"
#include "input_file.hpp"

namespace perdure::formats {

namespace {

// Texts of a table take the room of the longest one of their column: so much of it, and so many times more
// than the file has, is too much.
constexpr std::uint64_t much_room = std::uint64_t{1} << 30;
constexpr std::uint64_t much_more_room = 64;

data_type structure_for(const input_file& file, const csv_shape& shape) {
  std::vector<data_field> fields;
  std::size_t at = 0;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < shape.columns; ++i) {
    const csv_column& column = shape.kinds[i];
    data_type type = type_for(column.result(shape.decimal));
    if (type.is_variable())
      type = data_type(element_kind::character).array({std::max<std::size_t>(column.longest(), 1)});
    at = (at + type.alignment() - 1) / type.alignment() * type.alignment();
    const std::size_t size = type.size();
    std::string name = shape.has_header ? shape.names[i] : 'f' + std::to_string(i);
    if (column.longest() > shape.kinds[longest].longest()) longest = i;
    fields.push_back({std::move(name), at, std::move(type)});
    at += size;
  }
  if (at > much_room / std::max<std::uint64_t>(shape.rows, 1) &&
      at > shape.text_bytes / std::max<std::uint64_t>(shape.rows, 1) * much_more_room)
    file.refuse("the column \"" + fields[longest].name.substr(0, 40) + "\" has a text of " +
                std::to_string(shape.kinds[longest].longest()) +
                " bytes, and a table would keep that much for each row: read all as texts (--type string)");
  std::size_t alignment = 1;
  for (const data_field& field : fields) alignment = std::max(alignment, field.type.alignment());
  try {
    return data_type::structure(std::move(fields), (at + alignment - 1) / alignment * alignment, alignment);
  } catch (const error& failure) {
    file.refuse(failure.what());
  }
}

/// Returns the type that the file itself says.
data_type type_from(const input_file& file, const csv_shape& shape) {
  if (shape.columns == 1) return type_for(shape.kinds[0].result(shape.decimal));
  if (shape.has_header) return structure_for(file, shape);
  column_kind all = column_kind::nothing;
  bool has_texts = false;
  bool are_texts = true;
  bool has_large = false;
  bool has_negative = false;
  for (const csv_column& column : shape.kinds) {
    const column_kind kind = column.result(shape.decimal);
    has_texts = has_texts || kind == column_kind::text;
    are_texts = are_texts && kind == column_kind::text;
    has_large = has_large || kind == column_kind::positive;
    has_negative = has_negative || column.has_negative();
    all = joined(all, kind);
  }
  // Texts beside numbers, or truths beside numbers.
  if (!are_texts && (has_texts || all == column_kind::text)) return structure_for(file, shape);
  if (all == column_kind::positive && has_large && has_negative) return element_kind::float64;
  return type_for(all);
}

/// Returns the type of the elements of a column.
data_type type_of_column(const data_type& element, std::size_t column) {
  return element.kind() == element_kind::structure ? element.fields()[column].type : element;
}

/// Refuses integers that would be rounded, and names zeros before numbers as a loss. Not for a type that was
/// asked for, which is meant.
void look_at_numbers(const input_file& file, const csv_shape& shape, const data_type& element,
                     std::vector<loss>& losses) {
  for (std::size_t i = 0; i < shape.columns; ++i) {
    const element_kind kind = type_of_column(element, i).kind();
    if (kind == element_kind::text || kind == element_kind::character) continue;
    const csv_mention* const rounded = shape.kinds[i].with_rounding();
    if (rounded != nullptr && (kind == element_kind::float64 || kind == element_kind::complex128))
      file.refuse("line " + std::to_string(rounded->line) + ": the integer \"" + rounded->text +
                  "\" would be rounded to " + data_type(kind).text() +
                  ", which its column needs: read all as texts (--type string), or have it rounded (--type " +
                  data_type(kind).text() + ')');
    if (const csv_mention* const zeros = shape.kinds[i].with_zeros())
      losses.push_back({"", "loses the zeros before numbers, as in \"" + zeros->text + "\" in line " +
                                std::to_string(zeros->line) + ": --type string keeps them"});
  }
}

/// Numbers of the table as elements in a file of their own.
class csv_numbers final : public array_source {
 public:
  csv_numbers(input_file elements, array_description what)
      : array_source(std::move(what)), elements_(std::move(elements)) {}

  void read(const slab& part, std::byte* to) override {
    if (part.count.elements() != 0) read_from(part, 0, 0, to);
  }

 private:
  /// Reads the part of dimension `depth` on of the elements that begin with element `begin`.
  std::byte* read_from(const slab& part, std::size_t depth, std::uint64_t begin, std::byte* to) {
    const std::size_t size = what_.type.size();
    std::uint64_t inner = 1;
    bool is_whole = true;
    for (std::size_t i = depth + 1; i < what_.dims.rank(); ++i) {
      inner *= what_.dims[i];
      is_whole = is_whole && part.count[i] == what_.dims[i];
    }
    begin += part.offset[depth] * inner;
    if (is_whole) {
      const std::size_t bytes = part.count[depth] * inner * size;
      elements_.read_at(begin * size, {to, bytes});
      return to + bytes;
    }
    for (std::uint64_t i = 0; i < part.count[depth]; ++i, begin += inner)
      to = read_from(part, depth + 1, begin, to);
    return to;
  }

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

/// Converts the fields of a table.
class csv_converter {
 public:
  csv_converter(const csv_rows& rows, char decimal) : rows_(rows), decimal_(decimal) {}

  void convert(const csv_field& field, const leaf& to, std::byte* element) {
    const data_type base = to.type.base();
    if (base.kind() == element_kind::character) return convert_text(field, to, element);
    std::string_view text = is_blank(field.text) ? "nan" : std::string_view(field.text);
    if (decimal_ == ',' && text.find_first_of(",.") != std::string_view::npos) {
      buffer_ = text;
      // A point is no part of such a number.
      std::replace(buffer_.begin(), buffer_.end(), '.', '?');
      std::replace(buffer_.begin(), buffer_.end(), ',', '.');
      text = buffer_;
    }
    if (!parse_element(text, base, element + to.offset))
      rows_.refuse('"' + field.text.substr(0, 40) + "\" is no " + base.text());
  }

 private:
  void convert_text(const csv_field& field, const leaf& to, std::byte* element) const {
    if (field.text.size() > to.type.size())
      rows_.refuse('"' + field.text.substr(0, 40) + "\" has more than " + std::to_string(to.type.size()) +
                   " characters");
    // It would end the text.
    if (field.text.find('\0') != std::string::npos)
      rows_.refuse(
          "a text has a zero byte in it, which texts of fixed length cannot have: read all as texts "
          "(--type string)");
    std::memcpy(element + to.offset, field.text.data(), field.text.size());
  }

  const csv_rows& rows_;
  char decimal_;
  std::string buffer_;
};

std::unique_ptr<array_source> read_elements(const input_file& file, const csv_shape& shape,
                                            const data_type& element, array_description what) {
  const std::vector<leaf> leaves = leaves_of(element);
  const bool are_structs = element.kind() == element_kind::structure;
  if (are_structs && shape.rows != 0 && leaves.size() != shape.columns)
    file.refuse("it has " + std::to_string(shape.columns) + " columns, and elements of type " +
                element.text().substr(0, 200) + " have " + std::to_string(leaves.size()));
  csv_rows rows(file, shape.separator);
  csv_converter converter(rows, shape.decimal);
  std::vector<csv_field> row;
  input_file elements = input_file::unnamed();
  std::vector<std::byte> buffer;
  const std::size_t size = element.size();
  if (shape.has_header) rows.next(row);
  while (rows.next(row)) {
    const std::size_t begin = buffer.size();
    buffer.resize(begin + size * (are_structs ? 1 : row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      converter.convert(row[i], leaves[are_structs ? i : 0],
                        buffer.data() + begin + (are_structs ? 0 : i * size));
    if (buffer.size() < csv_buffer_bytes) continue;
    elements.append(buffer);
    buffer.clear();
  }
  elements.append(buffer);
  if (elements.size() != what.dims.elements() * what.type.size()) file.refuse("it changed while it was read");
  return std::make_unique<csv_numbers>(std::move(elements), std::move(what));
}

std::unique_ptr<array_source> read_texts(const input_file& file, const csv_shape& shape,
                                         array_description what) {
  csv_rows rows(file, shape.separator);
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

}  // namespace

opened_arrays open_csv(const std::filesystem::path& path, const std::optional<data_type>& type,
                       const table_options& options) {
  const input_file file(path);
  const csv_shape shape = shape_of_csv(file, type, options);
  const data_type element = type ? *type : type_from(file, shape);
  // Texts of fixed length have a dimension more.
  const bool has_length = element.kind() == element_kind::character && element.dims().size() == 1;
  if ((!element.dims().empty() && !has_length) || element.kind() == element_kind::opaque ||
      element.kind() == element_kind::sequence)
    throw error(errc::unsupported, "tables of text have no elements of type " + element.text());
  array_description what;
  what.type = element.base();
  what.dims.push_back(shape.rows);
  if (shape.columns > 1 && element.kind() != element_kind::structure) what.dims.push_back(shape.columns);
  if (has_length) what.dims.push_back(element.dims()[0]);
  opened_arrays found;
  const bool keeps_names = what.type.kind() == element_kind::structure;
  if (shape.has_header && !keeps_names)
    found.losses.push_back({"", shape.columns == 1
                                    ? "loses the name of its column, \"" + shape.names[0].substr(0, 60) + '"'
                                    : "loses the names of its columns: its elements are no structs"});
  if (shape.comments != 0)
    found.losses.push_back(
        {"", "loses " + std::to_string(shape.comments) +
                 (shape.comments == 1 ? " comment (#), in line " : " comments (#), the first in line ") +
                 std::to_string(shape.first_comment)});
  if (!type) look_at_numbers(file, shape, element, found.losses);
  found.sources.push_back(what.type.kind() == element_kind::text
                              ? read_texts(file, shape, std::move(what))
                              : read_elements(file, shape, element, std::move(what)));
  return found;
}

}  // namespace perdure::formats
