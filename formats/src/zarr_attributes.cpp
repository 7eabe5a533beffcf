// Attributes from JSON, and to JSON.
#include "zarr_attributes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <perdure/array/attribute_value.hpp>
#include <perdure/error.hpp>
#include <perdure/formats/array_text.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <set>
#include <utility>

#include "unicode.hpp"

namespace perdure::formats {

namespace {

/// Kinds of values that a list may have.
enum class value_kind { nothing, boolean, integer, positive, real, text, other };

value_kind kind_of(const zarr_json& value) {
  if (value.is_boolean()) return value_kind::boolean;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return value_kind::positive;
  if (value.is_number_integer()) return value_kind::integer;
  if (value.is_number() || non_finite(value)) return value_kind::real;
  return value.is_string() ? value_kind::text : value_kind::other;
}

value_kind joined(value_kind a, value_kind b) {
  if (a > b) std::swap(a, b);
  if (a == value_kind::nothing || a == b) return b;
  // Not of large whole numbers and fractions, as a double rounds them.
  const bool are_numbers = a == value_kind::integer && (b == value_kind::positive || b == value_kind::real);
  return are_numbers ? b : value_kind::other;
}

/// Values of a list of lists in row-major order.
struct listed_values {
  std::vector<const zarr_json*> all;
  extents dims;
  value_kind kind = value_kind::nothing;
  bool is_regular = true;
};

void add_values(listed_values& values, const zarr_json& value, std::size_t depth) {
  if (!value.is_array()) {
    values.is_regular = values.is_regular && depth == values.dims.rank();
    values.kind = joined(values.kind, kind_of(value));
    values.all.push_back(&value);
    return;
  }
  if (depth == values.dims.rank()) {
    values.is_regular = values.is_regular && values.all.empty() && depth < max_rank;
    if (values.is_regular) values.dims.push_back(value.size());
  }
  values.is_regular = values.is_regular && depth < values.dims.rank() && values.dims[depth] == value.size();
  if (!values.is_regular) return;
  for (const zarr_json& one : value) add_values(values, one, depth + 1);
}

template <class T>
void append_value(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

double real_of(const zarr_json& value) {
  const std::optional<double> number = non_finite(value);
  return number ? *number : value.get<double>();
}

/// Returns whether doubles have all whole numbers of the list.
bool are_exact(const listed_values& values) {
  constexpr std::int64_t largest = std::int64_t{1} << 53;
  return std::all_of(values.all.begin(), values.all.end(), [](const zarr_json* one) {
    return !one->is_number_integer() ||
           (one->get<std::int64_t>() <= largest && one->get<std::int64_t>() >= -largest);
  });
}

/// Keys of attributes that are the text of JSON.
using json_keys = std::set<std::string>;

array_attribute text_of_json(const std::string& key, const zarr_json& value, json_keys& keys) {
  keys.insert(key);
  return {key, element_kind::text, {}, text_of(value)};
}

array_attribute attribute_from(const std::string& key, const zarr_json& value, json_keys& keys) {
  if (value.is_null()) return {key, null_type(), {}, {}};
  listed_values values;
  add_values(values, value, 0);
  // Of whatever size they are.
  if (key == max_dims_key && values.kind == value_kind::integer) values.kind = value_kind::positive;
  if (!values.is_regular) return text_of_json(key, value, keys);
  array_attribute made{key, {}, values.dims, {}};
  switch (values.kind) {
    case value_kind::boolean:
      made.type = element_kind::boolean;
      for (const zarr_json* const one : values.all) append_value(made.bytes, one->get<bool>());
      return made;
    case value_kind::integer:
      made.type = element_kind::int64;
      for (const zarr_json* const one : values.all) append_value(made.bytes, one->get<std::int64_t>());
      return made;
    case value_kind::positive:
      if (!std::all_of(values.all.begin(), values.all.end(),
                       [](const zarr_json* one) { return one->is_number_unsigned(); }))
        return text_of_json(key, value, keys);
      made.type = element_kind::uint64;
      for (const zarr_json* const one : values.all) append_value(made.bytes, one->get<std::uint64_t>());
      return made;
    case value_kind::nothing:  // an empty list
    case value_kind::real:
      if (!are_exact(values)) return text_of_json(key, value, keys);
      made.type = element_kind::float64;
      for (const zarr_json* const one : values.all) append_value(made.bytes, real_of(*one));
      return made;
    case value_kind::text: {
      made.type = element_kind::text;
      if (made.dims.empty()) {
        made.bytes = value.get<std::string>();
        return made;
      }
      variable_elements texts;
      for (const zarr_json* const one : values.all) {
        texts.bytes += one->get<std::string>();
        texts.ends.push_back(texts.bytes.size());
      }
      made.bytes = pack_elements(texts);
      return made;
    }
    case value_kind::other:
      break;
  }
  return text_of_json(key, value, keys);
}

bool is_fraction(element_kind kind) {
  return kind == element_kind::float16 || kind == element_kind::bfloat16 || kind == element_kind::float32 ||
         kind == element_kind::float64;
}

/// A number that JSON lacks as `read_json_file` has it.
zarr_json attribute_number(const data_type& type, const std::byte* element) {
  std::string text;
  append_json(text, type, element);
  // Without a fraction or an exponent it would be a whole number.
  if (is_fraction(type.kind()) && text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  if (text == "\"nan\"") return non_finite_json("NaN");
  if (text == "\"inf\"") return non_finite_json("Infinity");
  if (text == "\"-inf\"") return non_finite_json("-Infinity");
  return zarr_json::parse(text, nullptr, false);
}

zarr_json nested(const std::vector<zarr_json>& values, const extents& dims, std::size_t depth,
                 std::size_t& next) {
  if (depth == dims.rank()) return values[next++];
  zarr_json list = zarr_json::array();
  for (std::uint64_t i = 0; i < dims[depth]; ++i) list.push_back(nested(values, dims, depth + 1, next));
  return list;
}

/// The characters of an attribute of texts.
std::string text_within(const array_attribute& one) {
  const bool is_list = one.type.kind() == element_kind::text && !one.dims.empty();
  return is_list ? unpack_elements(one.dims, one.bytes).bytes : one.bytes;
}

zarr_json json_of(const array_attribute& one) {
  if (is_null(one.type)) return nullptr;
  std::vector<zarr_json> values;
  extents dims = one.dims;
  if (one.type.kind() == element_kind::text) {
    if (dims.empty()) return one.bytes;
    const variable_elements texts = unpack_elements(dims, one.bytes);
    std::uint64_t begin = 0;
    for (const std::uint64_t end : texts.ends) {
      values.emplace_back(texts.bytes.substr(begin, end - begin));
      begin = end;
    }
  } else if (one.type.kind() == element_kind::character && !dims.empty()) {
    // The last dimension is the length of texts.
    const std::size_t length = dims[dims.rank() - 1];
    dims = extents(dims.span().first(dims.rank() - 1));
    for (std::uint64_t i = 0; i < dims.elements(); ++i) {
      const std::string text = one.bytes.substr(i * length, length);
      values.emplace_back(text.substr(0, std::min(text.find('\0'), text.size())));
    }
  } else {
    for (std::size_t at = 0; at < one.bytes.size(); at += one.type.size())
      values.push_back(attribute_number(one.type, reinterpret_cast<const std::byte*>(one.bytes.data()) + at));
  }
  if (values.size() != dims.elements())
    throw error(errc::bad_input,
                "the attribute \"" + one.key + "\" has another number of values than it says");
  std::size_t next = 0;
  return nested(values, dims, 0, next);
}

/// Returns whether values are numbers or truths in JSON.
bool is_number_of_json(element_kind kind) {
  return kind == element_kind::boolean || (kind >= element_kind::int8 && kind <= element_kind::uint64) ||
         is_fraction(kind);
}

/// The attribute that lists these keys.
array_attribute list_of_keys(const json_keys& keys) {
  variable_elements texts;
  for (const std::string& one : keys) {
    texts.bytes += one;
    texts.ends.push_back(texts.bytes.size());
  }
  return {std::string(json_key), element_kind::text, {keys.size()}, pack_elements(texts)};
}

/// Keys that the attribute `json_key` lists.
json_keys listed_keys(const std::vector<array_attribute>& attributes) {
  json_keys keys;
  for (const array_attribute& one : attributes) {
    if (one.key != json_key || one.type.kind() != element_kind::text || one.dims.rank() != 1) continue;
    const variable_elements texts = unpack_elements(one.dims, one.bytes);
    std::uint64_t begin = 0;
    for (const std::uint64_t end : texts.ends) {
      keys.insert(texts.bytes.substr(begin, end - begin));
      begin = end;
    }
  }
  return keys;
}

}  // namespace

std::vector<array_attribute> attributes_from(const zarr_json& object, std::vector<std::string>& losses) {
  std::vector<array_attribute> attributes;
  json_keys keys;
  for (const auto& [key, value] : object.items())
    if (key.empty())
      losses.emplace_back("loses an attribute that has no name");
    else
      attributes.push_back(attribute_from(key, value, keys));
  if (!keys.empty()) attributes.push_back(list_of_keys(keys));
  return attributes;
}

zarr_json zarr_attributes_of(const std::vector<array_attribute>& attributes,
                             std::vector<std::string>& losses) {
  zarr_json object = zarr_json::object();
  const json_keys keys = listed_keys(attributes);
  for (const array_attribute& one : attributes) {
    if (one.key == json_key && !keys.empty()) continue;
    const bool is_text = one.type.kind() == element_kind::text || one.type.kind() == element_kind::character;
    const bool is_other = (one.type.is_variable() || one.type.size() == 0) && !is_text && !is_null(one.type);
    if (!is_utf8(one.key) || (is_text && !is_utf8(text_within(one))))
      losses.push_back("loses the attribute \"" + sound_utf8(one.key) + "\", which is not UTF-8");
    else if (is_other)
      losses.push_back("loses the attribute \"" + one.key + "\": zarr has none of type " + one.type.text());
    else if (keys.contains(one.key) && is_text && one.dims.empty())
      object[one.key] = json_from(one.bytes);
    else
      object[one.key] = json_of(one);
    const bool is_kept = is_text || is_null(one.type) || is_number_of_json(one.type.kind());
    if (!is_kept && object.contains(one.key))
      losses.push_back("has an attribute \"" + one.key +
                       "\" that becomes text of JSON: zarr has none of type " + one.type.text());
  }
  return object;
}

}  // namespace perdure::formats
