// Element types of zarr, by NumPy's.
#include "zarr_type.hpp"

#include <perdure/error.hpp>
#include <utility>

#include "unicode.hpp"

namespace perdure::formats {

namespace {

struct type_name {
  element_kind kind;
  std::string_view numpy;  // without the order of bytes
};
constexpr type_name type_names[] = {
    {element_kind::boolean, "b1"},   {element_kind::int8, "i1"},       {element_kind::int16, "i2"},
    {element_kind::int32, "i4"},     {element_kind::int64, "i8"},      {element_kind::uint8, "u1"},
    {element_kind::uint16, "u2"},    {element_kind::uint32, "u4"},     {element_kind::uint64, "u8"},
    {element_kind::float16, "f2"},   {element_kind::float32, "f4"},    {element_kind::float64, "f8"},
    {element_kind::complex64, "c8"}, {element_kind::complex128, "c16"}};

constexpr std::string_view bytes_name = "null_terminated_bytes";
constexpr std::string_view unicode_name = "fixed_length_utf32";
constexpr std::string_view raw_name = "raw_bytes";
constexpr std::string_view structure_name = "structured";

[[noreturn]] void refuse(const zarr_json& said) {
  const std::string shown = said.dump(-1, ' ', false, zarr_json::error_handler_t::replace).substr(0, 80);
  const bool is_time =
      shown.find("datetime") != std::string::npos || shown.find("timedelta") != std::string::npos;
  throw error(errc::unsupported, "its elements are " + shown + ", which is no type of ours" +
                                     (is_time ? ": convert dates and times to numbers in zarr first" : ""));
}

python_literal text_literal(std::string text) {
  python_literal literal;
  literal.what = python_literal::kind::text;
  literal.text = std::move(text);
  return literal;
}

python_literal sequence_literal(std::vector<python_literal> items) {
  python_literal literal;
  literal.what = python_literal::kind::sequence;
  literal.items = std::move(items);
  return literal;
}

std::uint64_t length_in(const zarr_json& configuration) {
  const zarr_json& length = member(configuration, "length_bytes");
  if (!length.is_number_unsigned()) lacks("length_bytes");
  return length.get<std::uint64_t>();
}

/// NumPy's name of a type of version 3.
python_literal descr_of(const zarr_json& said, char order, unsigned depth) {
  constexpr unsigned deepest_type = 16;
  if (depth > deepest_type) refuse(said);
  if (said.is_string()) {
    const std::string name = said.get<std::string>();
    for (const type_name& one : type_names)
      if (name == to_string(one.kind)) return text_literal(std::string(1, order).append(one.numpy));
    // "r16": so many bits.
    const bool are_bits = name.size() > 1 && name.size() < 10 && name[0] == 'r' &&
                          name.find_first_not_of("0123456789", 1) == std::string::npos;
    if (are_bits && std::stoul(name.substr(1)) % 8 == 0)
      return text_literal("|V" + std::to_string(std::stoul(name.substr(1)) / 8));
    refuse(said);
  }
  if (!said.is_object() || !said.contains("name") || !said["name"].is_string()) refuse(said);
  const std::string name = said["name"].get<std::string>();
  const zarr_json configuration = said.value("configuration", zarr_json::object());
  if (configuration.empty()) return descr_of(said["name"], order, depth + 1);
  if (name == bytes_name) return text_literal("|S" + std::to_string(length_in(configuration)));
  if (name == raw_name) return text_literal("|V" + std::to_string(length_in(configuration)));
  if (name == unicode_name) {
    if (length_in(configuration) % 4 != 0) refuse(said);
    return text_literal(std::string(1, order) + 'U' + std::to_string(length_in(configuration) / 4));
  }
  if (name != structure_name && name != "struct") refuse(said);
  std::vector<python_literal> fields;
  for (const zarr_json& field : member(configuration, "fields")) {
    const bool is_pair = field.is_array() && field.size() == 2;
    if (!is_pair && !field.is_object()) refuse(said);
    fields.push_back(
        sequence_literal({text_literal(text_in(is_pair ? field[0] : member(field, "name"), "a field's name")),
                          descr_of(is_pair ? field[1] : member(field, "data_type"), order, depth + 1)}));
  }
  return sequence_literal(std::move(fields));
}

/// NumPy's name of a type of version 2: the same with other brackets.
python_literal literal_of(const zarr_json& said, unsigned depth = 0) {
  constexpr unsigned deepest_list = 32;
  if (said.is_string()) return text_literal(said.get<std::string>());
  python_literal literal;
  if (said.is_number_unsigned()) {
    literal.what = python_literal::kind::number;
    literal.number = said.get<std::int64_t>();
    return literal;
  }
  if (!said.is_array() || depth > deepest_list) lacks("dtype");
  literal.what = python_literal::kind::sequence;
  for (const zarr_json& one : said) literal.items.push_back(literal_of(one, depth + 1));
  return literal;
}

zarr_json with_length(std::string_view name, std::uint64_t length) {
  return {{"name", name}, {"configuration", {{"length_bytes", length}}}};
}

/// The type of a field, which has no dimensions but the length of texts.
zarr_json field_type_of(const data_type& type) {
  const data_type base = type.base();
  if (base.kind() == element_kind::character && type.dims().size() < 2)
    return with_length(bytes_name, type.size());
  if (!type.dims().empty())
    throw error(errc::unsupported, "zarr has no structs with arrays in them, as " +
                                       type.text().substr(0, 80) + ": choose HDF5 or .npz");
  return zarr_type_of(base, 0);
}

zarr_json structure_type_of(const data_type& type) {
  zarr_json fields = zarr_json::array();
  std::size_t at = 0;
  const auto fill_to = [&](std::size_t end) {
    if (at < end) fields.push_back(zarr_json::array({"", with_length(raw_name, end - at)}));
  };
  for (const data_field& field : type.fields()) {
    if (!is_utf8(field.name))
      throw error(errc::unsupported, "the name of the field \"" + sound_utf8(field.name).substr(0, 60) +
                                         "\" is not UTF-8, as zarr's are");
    fill_to(field.offset);
    fields.push_back(zarr_json::array({field.name, field_type_of(field.type)}));
    at = field.offset + field.type.size();
  }
  fill_to(type.size());
  return {{"name", structure_name}, {"configuration", {{"fields", fields}}}};
}

}  // namespace

numpy_type zarr_type_from(const zarr_json& said, bool is_big_endian) {
  numpy_type found;
  const zarr_json name = said.is_object() ? said.value("name", zarr_json()) : said;
  if (name == "string" || name == "variable_length_utf8") {
    found.type = element_kind::text;
    return found;
  }
  if (name == to_string(element_kind::bfloat16)) {
    found.type = element_kind::bfloat16;
    found.size = 2;
    if (is_big_endian) found.swaps = swaps_of(found.type);
    return found;
  }
  return parse_numpy_type(descr_of(said, is_big_endian ? '>' : '<', 0));
}

numpy_type zarr_2_type_from(const zarr_json& said) {
  return parse_numpy_type(literal_of(said));
}

zarr_json zarr_type_of(const data_type& type, std::uint64_t length) {
  switch (type.kind()) {
    case element_kind::text:
      return "string";
    case element_kind::character:
      return with_length(bytes_name, length);
    case element_kind::opaque:
      if (type.size() != 0) return with_length(raw_name, type.size());
      break;
    case element_kind::structure:
      return structure_type_of(type);
    case element_kind::sequence:
      break;
    default:
      return std::string(to_string(type.kind()));
  }
  throw error(errc::unsupported,
              "zarr has no elements of type " + type.text().substr(0, 200) + ": choose HDF5 or .npz");
}

}  // namespace perdure::formats
