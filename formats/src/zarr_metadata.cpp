// Reads and writes zarr.json.
#include "zarr_metadata.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <perdure/error.hpp>
#include <perdure/formats/array_text.hpp>
#include <utility>

#include "input_file.hpp"

namespace perdure::formats {

namespace {

using ordered_json = nlohmann::ordered_json;

constexpr std::size_t longest_zarr_json = std::size_t{64} << 20;

constexpr element_kind zarr_kinds[] = {
    element_kind::boolean, element_kind::int8,      element_kind::int16,     element_kind::int32,
    element_kind::int64,   element_kind::uint8,     element_kind::uint16,    element_kind::uint32,
    element_kind::uint64,  element_kind::float16,   element_kind::bfloat16,  element_kind::float32,
    element_kind::float64, element_kind::complex64, element_kind::complex128};

[[noreturn]] void lacks(const char* what) {
  throw error(errc::bad_input, std::string("it lacks ") + what + ", or it is none");
}

/// A member of that type; refused otherwise.
const ordered_json& member(const ordered_json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end()) lacks(key);
  return *found;
}

std::string text_in(const ordered_json& value, const char* what) {
  if (!value.is_string()) lacks(what);
  return value.get<std::string>();
}

extents extents_in(const ordered_json& value, const char* what) {
  if (!value.is_array()) lacks(what);
  extents dims;
  for (const ordered_json& one : value) {
    if (!one.is_number_unsigned()) lacks(what);
    dims.push_back(one.get<std::uint64_t>());
  }
  return dims;
}

data_type zarr_type(const ordered_json& value) {
  if (value.is_string()) {
    const std::string name = value.get<std::string>();
    if (name == "string") return element_kind::text;
    for (const element_kind kind : zarr_kinds)
      if (to_string(kind) == name) return kind;
  }
  throw error(errc::unsupported,
              "its elements are " + value.dump().substr(0, 60) + ", which is no type of ours");
}

/// Numbers may be given by their bits.
template <class T>
bool put_bits(const ordered_json& value, std::byte* to) {
  if (!value.is_string()) return false;
  const std::string text = value.get<std::string>();
  if (!text.starts_with("0x")) return false;
  std::uint64_t bits = 0;
  const auto [stop, problem] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  if (problem != std::errc{} || stop != text.data() + text.size()) lacks("fill_value");
  std::memcpy(to, &bits, sizeof(T));
  return true;
}

double real_from(const ordered_json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string text = text_in(value, "fill_value");
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  lacks("fill_value");
}

/// `Through` is what `T` is made from.
template <class T, class Through = T>
void put_real(const ordered_json& value, std::byte* to) {
  if (put_bits<T>(value, to)) return;
  const T rounded(static_cast<Through>(real_from(value)));
  std::memcpy(to, &rounded, sizeof rounded);
}

std::string fill_from(const ordered_json& value, const data_type& type) {
  if (type.kind() == element_kind::text) return value.is_string() ? value.get<std::string>() : "";
  std::string element(type.size(), '\0');
  if (value.is_null()) return element;
  auto* const to = reinterpret_cast<std::byte*>(element.data());
  switch (type.kind()) {
    case element_kind::float16:
      put_real<float16, float>(value, to);
      return element;
    case element_kind::bfloat16:
      put_real<bfloat16, float>(value, to);
      return element;
    case element_kind::float32:
      put_real<float>(value, to);
      return element;
    case element_kind::float64:
      put_real<double>(value, to);
      return element;
    case element_kind::complex64:
    case element_kind::complex128: {
      if (!value.is_array() || value.size() != 2) lacks("fill_value");
      for (std::size_t i = 0; i < 2; ++i) {
        if (type.kind() == element_kind::complex64)
          put_real<float>(value[i], to + 4 * i);
        else
          put_real<double>(value[i], to + 8 * i);
      }
      return element;
    }
    default:
      if (!value.is_number_integer() && !value.is_boolean()) lacks("fill_value");
      if (!parse_element(value.dump(), type, to)) lacks("fill_value");
      return element;
  }
}

void read_codecs(const ordered_json& codecs, zarr_array& array) {
  if (!codecs.is_array()) lacks("codecs");
  const std::size_t rank = array.what.dims.rank();
  for (std::size_t i = 0; i < rank; ++i) array.order.push_back(i);
  bool is_bytes = false;
  for (const ordered_json& one : codecs) {
    const std::string name =
        one.is_string() ? one.get<std::string>() : text_in(member(one, "name"), "a codec's name");
    const ordered_json empty = ordered_json::object();
    const ordered_json& how = one.is_object() && one.contains("configuration") ? one["configuration"] : empty;
    if (name == "transpose" && !is_bytes) {
      const extents order = extents_in(member(how, "order"), "the order of transpose");
      std::vector<std::size_t> after;
      std::vector<bool> seen(rank);
      if (order.rank() != rank) lacks("the order of transpose");
      for (const std::uint64_t dimension : order) {
        if (dimension >= rank || seen[dimension]) lacks("the order of transpose");
        seen[dimension] = true;
        after.push_back(array.order[dimension]);
      }
      array.order = after;
    } else if (name == "bytes" && !is_bytes && !array.what.type.is_variable()) {
      is_bytes = true;
      array.is_big_endian = how.value("endian", "little") == "big";
    } else if (name == "vlen-utf8" && !is_bytes && array.what.type.is_variable()) {
      is_bytes = true;
    } else if (name == "gzip" && is_bytes) {
      array.codecs.push_back(zarr_codec::gzip);
    } else if (name == "zstd" && is_bytes) {
      array.codecs.push_back(zarr_codec::zstd);
    } else if (name == "crc32c" && is_bytes) {
      array.codecs.push_back(zarr_codec::crc32c);
    } else {
      throw error(errc::unsupported,
                  "its chunks are written by the codec \"" + name.substr(0, 60) +
                      "\", which this program does not have (or not there): write them with gzip or zstd");
    }
  }
  if (!is_bytes) lacks("the codec bytes");
}

/// Numbers, texts and lists of numbers; what else there is, as the text of its JSON.
void read_zarr_attributes(const ordered_json& attributes, array_description& what) {
  const auto add = [&what](const std::string& key, const data_type& type, const extents& dims,
                           const void* data, std::size_t bytes) {
    what.attributes.push_back({key, type, dims, std::string(static_cast<const char*>(data), bytes)});
  };
  for (const auto& [key, value] : attributes.items()) {
    if (value.is_string()) {
      const std::string text = value.get<std::string>();
      add(key, element_kind::text, {}, text.data(), text.size());
    } else if (value.is_boolean()) {
      const char truth = value.get<bool>() ? 1 : 0;
      add(key, element_kind::boolean, {}, &truth, 1);
    } else if (value.is_number_integer() &&
               !(value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)) {
      const auto number = value.get<std::int64_t>();
      add(key, element_kind::int64, {}, &number, sizeof number);
    } else if (value.is_number()) {
      const auto number = value.get<double>();
      add(key, element_kind::float64, {}, &number, sizeof number);
    } else {
      const auto is_number = [](const ordered_json& one) { return one.is_number(); };
      if (value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), is_number)) {
        const auto is_integer = [](const ordered_json& one) { return one.is_number_integer(); };
        if (std::all_of(value.begin(), value.end(), is_integer)) {
          const auto numbers = value.get<std::vector<std::int64_t>>();
          add(key, element_kind::int64, {numbers.size()}, numbers.data(), numbers.size() * 8);
        } else {
          const auto numbers = value.get<std::vector<double>>();
          add(key, element_kind::float64, {numbers.size()}, numbers.data(), numbers.size() * 8);
        }
        continue;
      }
      const std::string text = value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
      add(key, element_kind::text, {}, text.data(), text.size());
    }
  }
}

zarr_node node_from(const ordered_json& said) {
  if (member(said, "zarr_format") != 3)
    throw error(errc::unsupported,
                "it is of zarr version " + member(said, "zarr_format").dump() + "; version 3 is read");
  zarr_node node;
  const std::string kind = text_in(member(said, "node_type"), "node_type");
  if (kind == "group") {
    node.is_group = true;
    return node;
  }
  if (kind != "array") lacks("node_type");
  zarr_array& array = node.array;
  array.what.dims = extents_in(member(said, "shape"), "shape");
  array.what.type = zarr_type(member(said, "data_type"));
  const ordered_json& grid = member(said, "chunk_grid");
  if (text_in(member(grid, "name"), "chunk_grid") != "regular")
    throw error(errc::unsupported, "its chunks lie in no regular grid");
  array.chunk = extents_in(member(member(grid, "configuration"), "chunk_shape"), "chunk_shape");
  if (array.chunk.rank() != array.what.dims.rank()) lacks("chunk_shape");
  for (const std::uint64_t n : array.chunk)
    if (n == 0) lacks("chunk_shape");
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(array.what.dims.elements(), std::max<std::size_t>(array.what.type.size(), 1),
                             &bytes) ||
      __builtin_mul_overflow(array.chunk.elements(), std::max<std::size_t>(array.what.type.size(), 8),
                             &bytes) ||
      bytes > INT64_MAX)
    throw error(errc::bad_input, "its shape or that of its chunks is larger than can be");
  const ordered_json& keys = member(said, "chunk_key_encoding");
  array.is_version_2_key = text_in(member(keys, "name"), "chunk_key_encoding") == "v2";
  array.separator = array.is_version_2_key ? '.' : '/';
  if (keys.contains("configuration") && keys["configuration"].contains("separator")) {
    const std::string separator = text_in(keys["configuration"]["separator"], "separator");
    if (separator != "/" && separator != ".") lacks("separator");
    array.separator = separator[0];
  }
  array.fill = fill_from(member(said, "fill_value"), array.what.type);
  read_codecs(member(said, "codecs"), array);
  array.what.chunk = array.chunk;
  if (said.contains("dimension_names") && said["dimension_names"].is_array() &&
      said["dimension_names"].size() == array.what.dims.rank()) {
    for (const ordered_json& one : said["dimension_names"])
      if (one.is_string()) array.what.dimensions.push_back(one.get<std::string>());
    if (array.what.dimensions.size() != array.what.dims.rank()) array.what.dimensions.clear();
  }
  if (said.contains("attributes") && said["attributes"].is_object())
    read_zarr_attributes(said["attributes"], array.what);
  return node;
}

}  // namespace

zarr_node read_zarr_json(const std::filesystem::path& path) {
  const input_file file(path);
  if (file.size() > longest_zarr_json) file.refuse("it is too long");
  const std::string text = file.text_at(0, file.size());
  try {
    // Deeper nesting than anybody writes would end on the stack.
    const auto limited = [](int depth, ordered_json::parse_event_t, ordered_json&) {
      if (depth > 100) throw error(errc::bad_input, "it is nested too deeply");
      return true;
    };
    return node_from(ordered_json::parse(text, limited));
  } catch (const nlohmann::json::exception& failure) {
    file.refuse(failure.what());
  } catch (const error& failure) {
    throw error(failure.code(), path.string() + ": " + failure.what());
  }
}

std::string zarr_json_of(const array_description& what, const extents& chunk, bool compressed) {
  ordered_json fill = 0;
  if (what.type.kind() == element_kind::boolean) fill = false;
  if (what.type.kind() == element_kind::complex64 || what.type.kind() == element_kind::complex128)
    fill = ordered_json::array({0.0, 0.0});
  if (what.type.kind() == element_kind::text) fill = "";
  const bool is_text = what.type.kind() == element_kind::text;
  const bool is_known = is_text || std::find(std::begin(zarr_kinds), std::end(zarr_kinds),
                                             what.type.kind()) != std::end(zarr_kinds);
  if (!is_known)
    throw error(errc::unsupported,
                "zarr has no elements of type " + what.type.text() + ": choose HDF5 or .npz");
  const auto numbers = [](const extents& dims) {
    ordered_json list = ordered_json::array();
    for (const std::uint64_t n : dims) list.push_back(n);
    return list;
  };
  ordered_json codecs = ordered_json::array();
  if (is_text) {
    codecs.push_back({{"name", "vlen-utf8"}, {"configuration", ordered_json::object()}});
  } else {
    codecs.push_back({{"name", "bytes"}, {"configuration", {{"endian", "little"}}}});
  }
  if (compressed)
    codecs.push_back({{"name", "zstd"}, {"configuration", {{"level", 0}, {"checksum", false}}}});
  ordered_json attributes = ordered_json::object();
  for (const array_attribute& one : what.attributes) {
    if (one.type.kind() == element_kind::text) {
      attributes[one.key] = one.bytes;
      continue;
    }
    if (one.type.is_variable() || one.type.size() == 0) continue;
    std::string text = "[";
    for (std::size_t at = 0; at < one.bytes.size(); at += one.type.size()) {
      if (at != 0) text += ',';
      append_json(text, one.type, reinterpret_cast<const std::byte*>(one.bytes.data()) + at);
    }
    const ordered_json list = ordered_json::parse(text + ']', nullptr, false);
    attributes[one.key] = one.dims.empty() && list.size() == 1 ? list[0] : list;
  }
  ordered_json all{
      {"zarr_format", 3},
      {"node_type", "array"},
      {"shape", numbers(what.dims)},
      {"data_type", is_text ? "string" : std::string(to_string(what.type.kind()))},
      {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", numbers(chunk)}}}}},
      {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
      {"fill_value", fill},
      {"codecs", codecs},
      {"attributes", attributes}};
  if (!what.dimensions.empty()) all["dimension_names"] = what.dimensions;
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string zarr_json_of_group() {
  return "{\n  \"zarr_format\": 3,\n  \"node_type\": \"group\",\n  \"attributes\": {}\n}\n";
}

}  // namespace perdure::formats
