// Columns of tables: their types in Arrow's words, and the arrays of a store that have their values.
#include "arrow_field.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <perdure/error.hpp>

namespace perdure::python {

namespace {

constexpr std::size_t most_levels = 32;
constexpr std::int64_t most_children = 1'000'000;

struct simple_format {
  std::string_view format;
  std::string_view name;
  element_kind kind;
};

constexpr simple_format simple_formats[] = {
    {"c", "int8", element_kind::int8},
    {"C", "uint8", element_kind::uint8},
    {"s", "int16", element_kind::int16},
    {"S", "uint16", element_kind::uint16},
    {"i", "int32", element_kind::int32},
    {"I", "uint32", element_kind::uint32},
    {"l", "int64", element_kind::int64},
    {"L", "uint64", element_kind::uint64},
    {"e", "float16", element_kind::float16},
    {"f", "float32", element_kind::float32},
    {"g", "float64", element_kind::float64},
    {"tdD", "date32", element_kind::int32},
    {"tdm", "date64", element_kind::int64},
    {"tts", "time32[s]", element_kind::int32},
    {"ttm", "time32[ms]", element_kind::int32},
    {"ttu", "time64[us]", element_kind::int64},
    {"ttn", "time64[ns]", element_kind::int64},
    {"tDs", "duration[s]", element_kind::int64},
    {"tDm", "duration[ms]", element_kind::int64},
    {"tDu", "duration[us]", element_kind::int64},
    {"tDn", "duration[ns]", element_kind::int64},
    {"tiM", "interval[months]", element_kind::int32},
};

constexpr std::pair<std::string_view, std::string_view> other_formats[] = {
    {"n", "null"},
    {"b", "bool"},
    {"u", "utf8"},
    {"U", "large_utf8"},
    {"vu", "utf8_view"},
    {"z", "binary"},
    {"Z", "large_binary"},
    {"vz", "binary_view"},
    {"tiD", "interval[days, ms]"},
    {"tin", "interval[months, days, ns]"},
    {"+r", "run_end_encoded"},
};

const simple_format* simple_format_of(std::string_view format) {
  const auto* const found = std::find_if(std::begin(simple_formats), std::end(simple_formats),
                                         [&](const simple_format& one) { return one.format == format; });
  return found == std::end(simple_formats) ? nullptr : found;
}

/// Returns the numbers of a list such as "10,2"; nothing where it is not one.
std::optional<std::vector<std::int64_t>> numbers_of(std::string_view text) {
  std::vector<std::int64_t> all;
  for (;;) {
    std::int64_t one = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), one);
    if (wrong != std::errc()) return std::nullopt;
    all.push_back(one);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return all;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
}

arrow_storage fixed(data_type type, std::uint64_t width = 0) {
  arrow_storage storage;
  storage.kind = arrow_kind::fixed;
  storage.type = std::move(type);
  storage.width = width;
  return storage;
}

arrow_storage bytes_storage(arrow_kind kind, bool is_large, bool is_text) {
  arrow_storage storage;
  storage.kind = kind;
  storage.is_large = is_large;
  storage.is_text = is_text;
  return storage;
}

std::optional<arrow_storage> decimal_storage(std::string_view format) {
  const auto numbers = numbers_of(format.substr(2));
  if (!numbers || numbers->size() < 2 || numbers->size() > 3 || (*numbers)[0] < 1) return std::nullopt;
  switch (numbers->size() == 3 ? (*numbers)[2] : 128) {
    case 32:
      return fixed(element_kind::int32);
    case 64:
      return fixed(element_kind::int64);
    case 128:
      return fixed(element_kind::uint64, 2);
    case 256:
      return fixed(element_kind::uint64, 4);
    default:
      return std::nullopt;
  }
}

/// Returns the number behind a prefix, as in "w:16"; nothing where there is none from 1 on.
std::optional<std::uint64_t> length_in(std::string_view format, std::size_t prefix) {
  const auto numbers = numbers_of(format.substr(prefix));
  if (!numbers || numbers->size() != 1 || (*numbers)[0] < 1 || (*numbers)[0] > 1 << 30) return std::nullopt;
  return static_cast<std::uint64_t>((*numbers)[0]);
}

std::vector<std::pair<std::string, std::string>> metadata_of(const char* from) {
  std::vector<std::pair<std::string, std::string>> all;
  if (from == nullptr) return all;
  const auto number = [&] {
    std::int32_t one = 0;
    std::memcpy(&one, from, sizeof one);
    from += sizeof one;
    if (one < 0) throw error(errc::bad_input, "the schema of this table has metadata of a negative length");
    return one;
  };
  const auto text = [&] {
    const auto length = static_cast<std::size_t>(number());
    std::string one(from, length);
    from += length;
    return one;
  };
  for (std::int32_t left = number(); left > 0; --left) {
    std::string key = text();
    all.emplace_back(std::move(key), text());
  }
  return all;
}

arrow_field read_field(const ArrowSchema& schema, std::size_t level) {
  if (level > most_levels)
    throw error(errc::bad_input, "the schema of this table is nested in more than 32 levels");
  if (schema.release == nullptr) throw error(errc::bad_input, "the schema of this table was released");
  arrow_field field;
  if (schema.name != nullptr) field.name = schema.name;
  if (schema.format == nullptr)
    throw error(errc::bad_input, "the column \"" + field.name + "\" has no format in its schema");
  field.format = schema.format;
  field.flags = schema.flags;
  field.metadata = metadata_of(schema.metadata);
  if (schema.n_children < 0 || schema.n_children > most_children ||
      (schema.n_children != 0 && schema.children == nullptr))
    throw error(errc::bad_input, "the column \"" + field.name + "\" has " +
                                     std::to_string(schema.n_children) + " children in its schema");
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    if (schema.children[i] == nullptr)
      throw error(errc::bad_input, "the column \"" + field.name + "\" lacks a child in its schema");
    field.children.push_back(read_field(*schema.children[i], level + 1));
  }
  if (schema.dictionary != nullptr) field.dictionary.push_back(read_field(*schema.dictionary, level + 1));
  if (const auto storage = storage_of(field.format)) field.storage = *storage;
  return field;
}

bool has_its_children(const arrow_field& field) {
  switch (field.storage.kind) {
    case arrow_kind::structure:
      return field.dictionary.empty();
    case arrow_kind::list:
    case arrow_kind::fixed_list:
      return field.children.size() == 1 && field.dictionary.empty();
    default:
      return field.children.empty();
  }
}

bool is_index(const arrow_field& field) {
  if (field.storage.kind != arrow_kind::fixed || field.format.size() != 1) return false;
  const element_kind kind = field.storage.type.kind();
  return kind >= element_kind::int8 && kind <= element_kind::uint64;
}

void require_known_column(const arrow_field& field, const std::string& path) {
  const auto refuse = [&] {
    throw error(errc::wrong_type,
                "the column \"" + path + "\" is of type " + type_text(field) +
                    ", which tables in stores do not have; convert it to numbers, texts, lists or structs");
  };
  if (!storage_of(field.format) || !has_its_children(field)) refuse();
  if (!field.dictionary.empty()) {
    if (!is_index(field)) refuse();
    require_known_column(field.dictionary.front(), path + ".dictionary");
  }
  for (const arrow_field& child : field.children) require_known_column(child, path + "." + child.name);
}

void number_from(arrow_field& field, std::size_t& next) {
  field.slot = next++;
  for (arrow_field& child : field.children) number_from(child, next);
  for (arrow_field& child : field.dictionary) number_from(child, next);
}

/// Memory of a schema that is given away.
struct exported_schema {
  exported_schema() = default;
  exported_schema(const exported_schema&) = delete;
  exported_schema& operator=(const exported_schema&) = delete;
  ~exported_schema() {
    for (ArrowSchema& one : fields)
      if (one.release != nullptr) one.release(&one);
  }

  std::string format;
  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> fields;  // children, then the dictionary
  std::vector<ArrowSchema*> children;
};

void release_schema(ArrowSchema* schema) {
  delete static_cast<exported_schema*>(schema->private_data);
  schema->release = nullptr;
}

std::string packed(const std::vector<std::pair<std::string, std::string>>& metadata) {
  std::string all;
  if (metadata.empty()) return all;
  const auto append_number = [&](std::size_t number) {
    const auto one = static_cast<std::int32_t>(number);
    all.append(reinterpret_cast<const char*>(&one), sizeof one);
  };
  append_number(metadata.size());
  for (const auto& [key, value] : metadata) {
    append_number(key.size());
    all += key;
    append_number(value.size());
    all += value;
  }
  return all;
}

bool are_alike(const arrow_field& stored, const arrow_field& given) {
  const arrow_storage& a = stored.storage;
  const arrow_storage& b = given.storage;
  const bool converts = a.kind == arrow_kind::bytes &&
                        (b.kind == arrow_kind::bytes || b.kind == arrow_kind::views) &&
                        a.is_text == b.is_text;
  if (stored.format != given.format && !converts) return false;
  if (stored.children.size() != given.children.size()) return false;
  if (stored.dictionary.size() != given.dictionary.size()) return false;
  for (std::size_t i = 0; i < stored.children.size(); ++i) {
    const bool is_named = a.kind == arrow_kind::structure && stored.format != "+m";
    if (is_named && stored.children[i].name != given.children[i].name) return false;
    if (!are_alike(stored.children[i], given.children[i])) return false;
  }
  return stored.dictionary.empty() || are_alike(stored.dictionary.front(), given.dictionary.front());
}

}  // namespace

std::optional<arrow_storage> storage_of(std::string_view format) {
  if (const simple_format* const simple = simple_format_of(format)) return fixed(simple->kind);
  if (format == "n") return arrow_storage();
  if (format == "b") return bytes_storage(arrow_kind::bits, false, false);
  if (format == "u" || format == "U") return bytes_storage(arrow_kind::bytes, format == "U", true);
  if (format == "z" || format == "Z") return bytes_storage(arrow_kind::bytes, format == "Z", false);
  if (format == "vu" || format == "vz") return bytes_storage(arrow_kind::views, true, format == "vu");
  if (format == "tiD") return fixed(element_kind::int32, 2);
  if (format == "tin")
    return fixed(data_type::structure({{"months", 0, element_kind::int32},
                                       {"days", 4, element_kind::int32},
                                       {"nanoseconds", 8, element_kind::int64}},
                                      16, 8));
  if (format.size() >= 4 && format.starts_with("ts") && format[3] == ':' &&
      std::string_view("smun").find(format[2]) != std::string_view::npos)
    return fixed(element_kind::int64);
  if (format.starts_with("d:")) return decimal_storage(format);
  if (format.starts_with("w:")) {
    const auto length = length_in(format, 2);
    return length ? std::optional(fixed(element_kind::uint8, *length)) : std::nullopt;
  }
  if (format == "+l" || format == "+L" || format == "+m")
    return bytes_storage(arrow_kind::list, format == "+L", false);
  if (format == "+s") return bytes_storage(arrow_kind::structure, false, false);
  if (format.starts_with("+w:")) {
    const auto length = length_in(format, 3);
    if (!length) return std::nullopt;
    arrow_storage storage = bytes_storage(arrow_kind::fixed_list, false, false);
    storage.repeats = *length;
    return storage;
  }
  return std::nullopt;
}

std::size_t number_slots(arrow_field& root) {
  std::size_t next = 0;
  number_from(root, next);
  return next;
}

std::size_t count_fields(const arrow_field& root) {
  std::size_t count = 1;
  for (const arrow_field& child : root.children) count += count_fields(child);
  for (const arrow_field& child : root.dictionary) count += count_fields(child);
  return count;
}

arrow_field field_of(const ArrowSchema& schema) {
  return read_field(schema, 0);
}

void require_known(const arrow_field& table) {
  if (table.format != "+s" || !table.dictionary.empty())
    throw error(errc::wrong_type, "this is a column of type " + type_text(table) +
                                      " and no table; put it into a table, or store it as an array");
  for (std::size_t i = 0; i < table.children.size(); ++i) {
    const arrow_field& column = table.children[i];
    for (std::size_t k = 0; k < i; ++k)
      if (table.children[k].name == column.name)
        throw error(errc::invalid_argument,
                    "two columns are called \"" + column.name + "\"; give each a name of its own");
    require_known_column(column, column.name);
  }
}

arrow_field as_stored(arrow_field field) {
  if (field.storage.kind == arrow_kind::views) {
    field.format = field.format == "vu" ? "U" : "Z";
    field.storage = *storage_of(field.format);
  }
  for (arrow_field& child : field.children) child = as_stored(std::move(child));
  for (arrow_field& child : field.dictionary) child = as_stored(std::move(child));
  return field;
}

void export_schema(const arrow_field& field, ArrowSchema& to) {
  auto own = std::make_unique<exported_schema>();
  own->format = field.format;
  own->name = field.name;
  own->metadata = packed(field.metadata);
  own->fields.resize(field.children.size() + field.dictionary.size());
  for (std::size_t i = 0; i < own->fields.size(); ++i) {
    const bool is_child = i < field.children.size();
    export_schema(is_child ? field.children[i] : field.dictionary.front(), own->fields[i]);
    if (is_child) own->children.push_back(&own->fields[i]);
  }
  to = {};
  to.format = own->format.c_str();
  to.name = own->name.c_str();
  to.metadata = own->metadata.empty() ? nullptr : own->metadata.data();
  to.flags = field.flags;
  to.n_children = static_cast<std::int64_t>(own->children.size());
  to.children = own->children.data();
  to.dictionary = field.dictionary.empty() ? nullptr : &own->fields.back();
  to.release = release_schema;
  to.private_data = own.release();
}

std::string type_text(const arrow_field& field) {
  const std::string& format = field.format;
  if (!field.dictionary.empty()) {
    arrow_field index = field;
    index.dictionary.clear();
    return "dictionary<" + type_text(index) + ", " + type_text(field.dictionary.front()) + ">";
  }
  if (const simple_format* const simple = simple_format_of(format)) return std::string(simple->name);
  for (const auto& [known, name] : other_formats)
    if (known == format) return std::string(name);
  if (format.size() >= 4 && format.starts_with("ts")) {
    const std::string unit = format[2] == 's' ? "s" : std::string(1, format[2]) + "s";
    return "timestamp[" + unit + (format.size() == 4 ? "]" : ", " + format.substr(4) + "]");
  }
  if (format.starts_with("d:")) {
    const auto numbers = numbers_of(std::string_view(format).substr(2));
    if (numbers && numbers->size() >= 2)
      return "decimal" + std::to_string(numbers->size() == 3 ? (*numbers)[2] : 128) + "(" +
             std::to_string((*numbers)[0]) + ", " + std::to_string((*numbers)[1]) + ")";
  }
  if (format.starts_with("w:")) return "fixed_size_binary(" + format.substr(2) + ")";
  if (format.starts_with("+u")) return format.starts_with("+ud") ? "dense_union" : "sparse_union";
  std::string inner;
  for (const arrow_field& child : field.children) {
    if (!inner.empty()) inner += ", ";
    if (format == "+s") inner += child.name + ": ";
    inner += type_text(child);
  }
  inner = "<" + inner + ">";
  if (format == "+s") return "struct" + inner;
  if (format == "+l") return "list" + inner;
  if (format == "+L") return "large_list" + inner;
  if (format == "+m") return "map" + inner;
  if (format == "+vl" || format == "+vL") return "list_view" + inner;
  if (format.starts_with("+w:")) return "fixed_size_list(" + format.substr(3) + ")" + inner;
  return "\"" + format + "\"";
}

std::vector<std::size_t> matched_columns(const arrow_field& stored, const arrow_field& given) {
  std::vector<std::size_t> all;
  for (const arrow_field& column : stored.children) {
    const auto found = std::find_if(given.children.begin(), given.children.end(),
                                    [&](const arrow_field& one) { return one.name == column.name; });
    if (found == given.children.end())
      throw error(errc::wrong_type, "these rows lack the column \"" + column.name + "\" of the table");
    if (!are_alike(column, *found))
      throw error(errc::wrong_type, "the column \"" + column.name + "\" is of type " + type_text(*found) +
                                        ", and of type " + type_text(column) +
                                        " in the table; convert the rows to the table's types");
    all.push_back(static_cast<std::size_t>(found - given.children.begin()));
  }
  for (const arrow_field& column : given.children)
    if (std::none_of(stored.children.begin(), stored.children.end(),
                     [&](const arrow_field& one) { return one.name == column.name; }))
      throw error(errc::wrong_type, "the table has no column \"" + column.name + "\", which these rows have");
  return all;
}

}  // namespace perdure::python
