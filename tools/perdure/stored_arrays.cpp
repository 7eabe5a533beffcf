// Looks at stored arrays.
#include "stored_arrays.hpp"

#include <perdure/error.hpp>
#include <perdure/formats/array_text.hpp>
#include <utility>

namespace perdure::cli {

arrays_to_read::arrays_to_read(const std::filesystem::path& path)
    : arrays_(open_read_only, path, {.beside_writer = reader_beside_writer::hold_writer}) {}

std::vector<std::string> arrays_to_read::named(const std::string& id) const {
  std::vector<std::string> ids = arrays_.list(id);
  if (ids.empty() && !id.empty())
    throw error(errc::not_found, arrays_.path().string() + ": there is no array \"" + id +
                                     "\"; `perdure array ls` lists those that are there");
  return ids;
}

std::string dtype_of(const data_type& type) {
  if (type.kind() == element_kind::character && type.dims().empty()) return "S1";
  return type.text();
}

json shape_of_dims(const extents& dims) {
  json shape = json::array();
  for (const std::uint64_t n : dims) shape.push_back(n);
  return shape;
}

json facts_of(const array_info& info) {
  json facts{{"id", info.id},
             {"dtype", dtype_of(info.type)},
             {"shape", shape_of_dims(info.dims)},
             {"bytes", info.bytes},
             {"layout", std::string(to_string(info.layout))},
             {"stored_bytes", info.stored_bytes},
             {"blocks", info.blocks},
             {"compression", std::string(to_string(info.codec))}};
  if (!info.chunk.empty()) facts["chunk"] = shape_of_dims(info.chunk);
  if (!info.dimensions.empty()) facts["dimensions"] = info.dimensions;
  return facts;
}

json value_of(const attribute_value& value) {
  if (is_null(value.type)) return nullptr;
  if (value.type.kind() == element_kind::text) {
    if (value.dims.empty()) return value.bytes;
    json texts = json::array();
    std::uint64_t begin = 0;
    const variable_elements all = unpack_elements(value.dims, value.bytes);
    for (const std::uint64_t end : all.ends) {
      texts.push_back(all.bytes.substr(begin, end - begin));
      begin = end;
    }
    return texts;
  }
  if (value.type.is_variable()) return {{"bytes", value.bytes.size()}, {"type", value.type.text()}};
  std::string text;
  const std::size_t size = value.type.size();
  const std::uint64_t count = size == 0 ? 0 : value.bytes.size() / size;
  if (!value.dims.empty()) text += '[';
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i != 0) text += ',';
    formats::append_json(text, value.type, reinterpret_cast<const std::byte*>(value.bytes.data()) + i * size);
  }
  if (!value.dims.empty()) text += ']';
  return json::parse(text, nullptr, false);
}

}  // namespace perdure::cli
