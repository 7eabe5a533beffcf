// Reads and writes zarr.json.
#include "zarr_metadata.hpp"

#include <algorithm>
#include <array>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <utility>

#include "zarr_attributes.hpp"
#include "zarr_codecs.hpp"
#include "zarr_type.hpp"

namespace perdure::formats {

namespace {

using known_members = std::initializer_list<std::string_view>;

/// Refuses what a reader must understand and this one does not; names what it may ignore.
void check_extensions(const zarr_json& said, known_members known, std::vector<std::string>& losses) {
  for (const auto& [key, value] : said.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const bool may_ignore =
        value.is_object() && value.contains("must_understand") && value["must_understand"] == false;
    if (!may_ignore)
      throw error(errc::unsupported, "it has the extension \"" + key.substr(0, 60) +
                                         "\", which this program does not know and must understand");
    losses.push_back("loses the extension \"" + key.substr(0, 60) + "\", which is not known");
  }
}

/// A codec or an extension: a name, and its configuration.
struct named_json {
  std::string name;
  zarr_json configuration = zarr_json::object();
};

named_json named(const zarr_json& said, const char* what) {
  if (said.is_string()) return {said.get<std::string>()};
  named_json found{text_in(member(said, "name"), what)};
  if (said.contains("configuration")) found.configuration = said["configuration"];
  if (!found.configuration.is_object()) lacks(what);
  return found;
}

bool is_big_endian(const named_json& codec) {
  return codec.configuration.value("endian", zarr_json("little")) == "big";
}

void transpose(zarr_array& array, const named_json& codec) {
  constexpr const char* what = "the order of transpose";
  const extents order = extents_in(member(codec.configuration, "order"), what);
  const std::size_t rank = array.dims.rank();
  std::vector<std::size_t> after;
  std::vector<bool> seen(rank);
  if (order.rank() != rank) lacks(what);
  for (const std::uint64_t dimension : order) {
    if (dimension >= rank || seen[dimension]) lacks(what);
    seen[dimension] = true;
    after.push_back(array.order[dimension]);
  }
  array.order = after;
}

/// Facts about a chain of codecs that are not kept in `zarr_array`.
struct codec_chain {
  bool is_big_endian = false;
  bool has_order = false;
  bool has_variable_texts = false;
};

codec_chain read_codecs(const zarr_json& codecs, zarr_array& array, bool is_in_shard = false);

void read_shards(zarr_array& array, const named_json& codec) {
  const zarr_json& how = codec.configuration;
  array.shards.shape = array.chunk;
  array.chunk = extents_in(member(how, "chunk_shape"), "the chunk_shape of shards");
  if (array.chunk.rank() != array.shards.shape.rank()) lacks("the chunk_shape of shards");
  for (std::size_t i = 0; i < array.chunk.rank(); ++i)
    if (array.chunk[i] == 0 || array.shards.shape[i] % array.chunk[i] != 0)
      lacks("the chunk_shape of shards");
  const zarr_json location = how.value("index_location", zarr_json("end"));
  if (location != "start" && location != "end") lacks("index_location");
  array.shards.is_index_first = location == "start";
  bool is_bytes = false;
  for (const zarr_json& one : member(how, "index_codecs")) {
    const named_json index = named(one, "a codec's name");
    const bool is_checksum = index.name == "crc32c" && is_bytes && !array.shards.has_checksum;
    if (!is_checksum && (index.name != "bytes" || is_bytes))
      throw error(errc::unsupported, "the index of its shards is written by the codec \"" +
                                         index.name.substr(0, 60) + "\", and is read without it only");
    if (!is_checksum && !index.configuration.contains("endian"))
      lacks("the order of bytes (endian) of its index_codecs");
    if (is_checksum) array.shards.has_checksum = true;
    if (!is_checksum) array.shards.has_big_endian_index = is_big_endian(index);
    is_bytes = true;
  }
  if (!is_bytes) lacks("index_codecs");
}

codec_chain read_codecs(const zarr_json& codecs, zarr_array& array, bool is_in_shard) {
  if (!codecs.is_array()) lacks("codecs");
  codec_chain chain;
  bool is_bytes = false;
  for (const zarr_json& one : codecs) {
    const named_json codec = named(one, "a codec's name");
    if (codec.name == "sharding_indexed") {
      if (is_in_shard || codecs.size() != 1)
        throw error(errc::unsupported, "its shards are in shards, or beside other codecs, which is not read");
      read_shards(array, codec);
      return read_codecs(member(codec.configuration, "codecs"), array, true);
    }
    if (codec.name == "transpose" && !is_bytes) {
      transpose(array, codec);
    } else if ((codec.name == "bytes" || codec.name == "endian" || codec.name == "vlen-utf8") && !is_bytes) {
      // The codec bytes was called endian in drafts of the format.
      is_bytes = true;
      chain.is_big_endian = is_big_endian(codec);
      chain.has_order = codec.configuration.contains("endian");
      chain.has_variable_texts = codec.name == "vlen-utf8";
    } else {
      const zarr_codec found = zarr_codec_named(codec.name);
      if (!is_bytes) lacks("the codec bytes");
      array.codecs.push_back(found);
    }
  }
  if (!is_bytes) lacks("the codec bytes");
  return chain;
}

void read_keys(const zarr_json& said, zarr_keys& keys) {
  const named_json encoding = named(said, "chunk_key_encoding");
  if (encoding.name != "default" && encoding.name != "v2")
    throw error(errc::unsupported,
                "its chunks are named by \"" + encoding.name.substr(0, 60) + "\", which is not known");
  keys.has_prefix = encoding.name == "default";
  keys.separator = keys.has_prefix ? '/' : '.';
  if (!encoding.configuration.contains("separator")) return;
  const zarr_json& separator = encoding.configuration["separator"];
  if (separator != "/" && separator != ".") lacks("separator");
  keys.separator = separator.get<std::string>()[0];
}

zarr_array array_from(const zarr_json& said, std::vector<std::string>& losses) {
  zarr_array array;
  array.dims = extents_in(member(said, "shape"), "shape");
  for (std::size_t i = 0; i < array.dims.rank(); ++i) array.order.push_back(i);
  const named_json grid = named(member(said, "chunk_grid"), "chunk_grid");
  if (grid.name != "regular") throw error(errc::unsupported, "its chunks lie in no regular grid");
  array.chunk = extents_in(member(grid.configuration, "chunk_shape"), "chunk_shape");
  if (array.chunk.rank() != array.dims.rank()) lacks("chunk_shape");
  read_keys(member(said, "chunk_key_encoding"), array.keys);
  const codec_chain chain = read_codecs(member(said, "codecs"), array);
  const zarr_json& type = member(said, "data_type");
  array.element = zarr_type_from(type, chain.is_big_endian);
  if (!chain.has_order && !zarr_type_from(type, true).swaps.empty())
    throw error(errc::bad_input,
                "its codec bytes does not say the order of bytes (endian), which its elements need");
  array.fill = zarr_fill_from(member(said, "fill_value"), array.element);
  if (said.contains("storage_transformers"))
    for (const zarr_json& one : said["storage_transformers"]) {
      const std::string name = named(one, "storage_transformers").name.substr(0, 60);
      const bool may_ignore = one.is_object() && one.value("must_understand", zarr_json(true)) == false;
      if (!may_ignore)
        throw error(errc::unsupported, "its chunks are stored by \"" + name + "\", which is not known");
      losses.push_back("loses the storage transformer \"" + name + "\", which is not known");
    }
  complete(array);
  if (array.has_variable_texts() != chain.has_variable_texts) lacks("the codec that its type needs");
  const zarr_json names = said.value("dimension_names", zarr_json());
  if (!names.is_null() && (!names.is_array() || names.size() != array.dims.rank())) {
    losses.push_back("loses the names of its dimensions: they are not as many as the dimensions");
  } else if (!names.is_null()) {
    bool has_names = false;
    for (const zarr_json& one : names) {
      has_names = has_names || one.is_string();
      array.what.dimensions.push_back(one.is_string() ? one.get<std::string>() : "");
    }
    array.what.dimensions.resize(array.what.dims.rank());
    if (!has_names) array.what.dimensions.clear();
  }
  return array;
}

zarr_node node_from(const zarr_json& said) {
  const zarr_json& version = member(said, "zarr_format");
  if (version != 3)
    throw error(errc::unsupported,
                "it is of zarr version " + version.dump().substr(0, 20) + "; versions 2 and 3 are read");
  zarr_node node;
  const std::string kind = text_in(member(said, "node_type"), "node_type");
  if (kind != "group" && kind != "array") lacks("node_type");
  node.is_group = kind == "group";
  const zarr_json attributes = said.value("attributes", zarr_json::object());
  if (!attributes.is_object()) lacks("attributes");
  if (node.is_group) {
    check_extensions(said, {"zarr_format", "node_type", "attributes", "consolidated_metadata"}, node.losses);
    node.attributes = attributes_from(attributes, node.losses);
    return node;
  }
  check_extensions(said,
                   {"zarr_format", "node_type", "attributes", "shape", "data_type", "chunk_grid",
                    "chunk_key_encoding", "fill_value", "codecs", "dimension_names", "storage_transformers"},
                   node.losses);
  node.array = array_from(said, node.losses);
  node.array.what.attributes = attributes_from(attributes, node.losses);
  return node;
}

}  // namespace

void complete(zarr_array& array) {
  for (const std::uint64_t n : array.chunk)
    if (n == 0) lacks("the shape of its chunks");
  std::uint64_t bytes = 0;
  const std::size_t size = std::max<std::size_t>(array.element.size, 8);
  const extents& file = array.shards.shape.empty() ? array.chunk : array.shards.shape;
  for (const extents* const one : std::initializer_list<const extents*>{&array.dims, &array.chunk, &file}) {
    // A chunk may be larger than the array along some dimensions.
    std::uint64_t elements = 1;
    for (const std::uint64_t n : *one)
      if (__builtin_mul_overflow(elements, std::max<std::uint64_t>(n, 1), &elements)) elements = UINT64_MAX;
    if (__builtin_mul_overflow(elements, size, &bytes) || bytes > INT64_MAX)
      throw error(errc::bad_input, "its shape or that of its chunks is larger than can be");
  }
  array.what.type = array.element.type;
  array.what.dims = array.dims;
  array.what.chunk = array.chunk;
  for (const std::uint64_t n : array.element.dims) {
    array.what.dims.push_back(n);
    array.what.chunk.push_back(std::max<std::uint64_t>(n, 1));
  }
}

zarr_node read_zarr_json(const std::filesystem::path& path) {
  try {
    return node_from(read_json_file(path));
  } catch (const zarr_json::exception& failure) {
    throw error(errc::bad_input, path.string() + ": " + failure.what());
  } catch (const error& failure) {
    const std::string_view what = failure.what();
    if (what.starts_with(path.native())) throw;
    throw error(failure.code(), path.string() + ": " + failure.what());
  }
}

std::size_t zarr_rank_of(const array_description& what) {
  const bool is_length = what.type.kind() == element_kind::character && !what.dims.empty();
  return what.dims.rank() - (is_length ? 1 : 0);
}

const array_attribute* fill_value_of(const array_description& what) {
  const auto found = std::find_if(what.attributes.begin(), what.attributes.end(),
                                  [](const array_attribute& one) { return one.key == fill_value_key; });
  if (found == what.attributes.end() || found->type != what.type) return nullptr;
  const std::size_t length = what.type.kind() == element_kind::character && !what.dims.empty()
                                 ? what.dims[what.dims.rank() - 1]
                                 : what.type.size();
  return what.type.is_variable() || found->bytes.size() == length ? &*found : nullptr;
}

zarr_json zarr_json_of(const array_description& what, const extents& chunk, bool compressed,
                       std::vector<std::string>& losses) {
  const array_attribute* const fill = fill_value_of(what);
  std::vector<array_attribute> attributes;
  for (const array_attribute& one : what.attributes)
    if (&one != fill) attributes.push_back(one);
  const std::size_t rank = zarr_rank_of(what);
  const std::uint64_t length = rank == what.dims.rank() ? 1 : what.dims[rank];
  const bool is_text = what.type.kind() == element_kind::text;
  zarr_json codecs = zarr_json::array();
  if (is_text) {
    codecs.push_back({{"name", "vlen-utf8"}, {"configuration", zarr_json::object()}});
  } else {
    codecs.push_back({{"name", "bytes"}, {"configuration", {{"endian", "little"}}}});
  }
  if (compressed)
    codecs.push_back({{"name", "zstd"}, {"configuration", {{"level", 0}, {"checksum", false}}}});
  zarr_json all{
      {"zarr_format", 3},
      {"node_type", "array"},
      {"shape", list_of(extents(what.dims.span().first(rank)))},
      {"data_type", zarr_type_of(what.type, length)},
      {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", list_of(chunk)}}}}},
      {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
      {"fill_value", fill == nullptr ? zarr_zero_of(what.type) : zarr_fill_of(what.type, fill->bytes)},
      {"codecs", codecs},
      {"attributes", zarr_attributes_of(attributes, losses)}};
  if (!what.dimensions.empty()) {
    zarr_json names = zarr_json::array();
    for (std::size_t i = 0; i < rank; ++i)
      names.push_back(what.dimensions[i].empty() ? zarr_json() : zarr_json(what.dimensions[i]));
    all["dimension_names"] = names;
  }
  return all;
}

zarr_json zarr_json_of_group(const std::vector<array_attribute>& attributes,
                             std::vector<std::string>& losses) {
  return {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", zarr_attributes_of(attributes, losses)}};
}

}  // namespace perdure::formats
