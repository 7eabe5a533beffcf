// Reads the metadata of zarr's version 2.
#include <algorithm>
#include <perdure/error.hpp>
#include <set>
#include <utility>

#include "zarr_attributes.hpp"
#include "zarr_codecs.hpp"
#include "zarr_metadata.hpp"
#include "zarr_type.hpp"

namespace perdure::formats {

namespace {

constexpr const char* array_file_name = ".zarray";
constexpr const char* group_file_name = ".zgroup";
constexpr const char* attributes_file_name = ".zattrs";
constexpr const char* consolidated_file_name = ".zmetadata";
// Where xarray and NCZarr keep the names of dimensions.
constexpr const char* dimensions_key = "_ARRAY_DIMENSIONS";

/// Elements are texts of any length if a filter says so.
numpy_type element_from(const zarr_json& said) {
  bool has_texts = false;
  const zarr_json filters = said.value("filters", zarr_json());
  if (!filters.is_null() && !filters.is_array()) lacks("filters");
  for (const zarr_json& one : filters) {
    const std::string name = text_in(member(one, "id"), "a filter's id");
    has_texts = name == "vlen-utf8" && filters.size() == 1;
    if (!has_texts)
      throw error(errc::unsupported, "its elements are written by the filter \"" + name.substr(0, 60) +
                                         "\", which this program does not have: write them without filters");
  }
  const zarr_json& type = member(said, "dtype");
  if (!has_texts) return zarr_2_type_from(type);
  if (type != "|O") lacks("the dtype of its filter");
  numpy_type element;
  element.type = element_kind::text;
  return element;
}

void read_compressor(const zarr_json& said, zarr_array& array) {
  const zarr_json compressor = said.value("compressor", zarr_json());
  if (compressor.is_null()) return;
  const std::string name = text_in(member(compressor, "id"), "the compressor's id");
  const zarr_codec codec = zarr_codec_named(name);
  const bool has_own_filters =
      codec == zarr_codec::xz &&
      (compressor.value("format", zarr_json(1)) != 1 || !compressor.value("filters", zarr_json()).is_null());
  if (has_own_filters)
    throw error(errc::unsupported, "its chunks are compressed by lzma in another format than xz");
  array.codecs.push_back(codec);
}

/// Takes the names of dimensions from the attributes.
void take_dimensions(zarr_json& attributes, zarr_array& array) {
  const auto found = attributes.find(dimensions_key);
  if (found == attributes.end() || !found->is_array() || found->size() != array.dims.rank()) return;
  const bool are_names =
      std::all_of(found->begin(), found->end(), [](const zarr_json& one) { return one.is_string(); });
  if (!are_names) return;
  for (const zarr_json& one : *found) array.what.dimensions.push_back(one.get<std::string>());
  // Of the length of texts of fixed length.
  if (!array.what.dimensions.empty()) array.what.dimensions.resize(array.what.dims.rank());
  attributes.erase(dimensions_key);
}

zarr_array array_from(const zarr_json& said) {
  if (member(said, "zarr_format") != 2)
    throw error(errc::unsupported, "it is of zarr version " + said["zarr_format"].dump().substr(0, 20) +
                                       "; versions 2 and 3 are read");
  zarr_array array;
  array.dims = extents_in(member(said, "shape"), "shape");
  array.chunk = extents_in(member(said, "chunks"), "chunks");
  if (array.chunk.rank() != array.dims.rank()) lacks("chunks");
  array.element = element_from(said);
  array.fill = zarr_fill_from(said.value("fill_value", zarr_json()), array.element);
  const zarr_json order = said.value("order", zarr_json("C"));
  if (order != "C" && order != "F") lacks("order");
  for (std::size_t i = 0; i < array.dims.rank(); ++i) array.order.push_back(i);
  if (order == "F") std::reverse(array.order.begin(), array.order.end());
  read_compressor(said, array);
  const zarr_json separator = said.value("dimension_separator", zarr_json("."));
  if (separator != "." && separator != "/") lacks("dimension_separator");
  array.keys = {false, separator.get<std::string>()[0]};
  complete(array);
  return array;
}

}  // namespace

zarr_2_metadata::zarr_2_metadata(std::filesystem::path root) : root_(std::move(root)) {
  const std::filesystem::path path = root_ / consolidated_file_name;
  if (!std::filesystem::exists(path)) return;
  const zarr_json all = read_json_file(path);
  if (all.is_object() && all.contains("metadata") && all["metadata"].is_object())
    consolidated_ = all["metadata"];
}

std::filesystem::path zarr_2_metadata::path_of(const std::string& name, const char* file) const {
  return name.empty() ? root_ / file : root_ / name / file;
}

bool zarr_2_metadata::has_file(const std::string& name, const char* file) const {
  return std::filesystem::exists(path_of(name, file)) ||
         consolidated_.contains(name.empty() ? file : name + '/' + file);
}

zarr_json zarr_2_metadata::file_of(const std::string& name, const char* file) const {
  const std::filesystem::path path = path_of(name, file);
  if (std::filesystem::exists(path)) return read_json_file(path);
  return consolidated_.value(name.empty() ? file : name + '/' + file, zarr_json::object());
}

bool zarr_2_metadata::has(const std::string& name) const {
  return has_file(name, array_file_name) || has_file(name, group_file_name);
}

zarr_node zarr_2_metadata::read(const std::string& name) const {
  zarr_node node;
  node.is_group = !has_file(name, array_file_name);
  const std::filesystem::path path = path_of(name, node.is_group ? group_file_name : array_file_name);
  if (!std::filesystem::exists(path.parent_path()))
    throw error(errc::unsupported, path.string() + ": " + consolidated_file_name +
                                       " of the hierarchy has it, and its directory is gone");
  try {
    zarr_json attributes = file_of(name, attributes_file_name);
    if (!attributes.is_object()) lacks("attributes");
    if (node.is_group) {
      node.attributes = attributes_from(attributes, node.losses);
      return node;
    }
    node.array = array_from(file_of(name, array_file_name));
    take_dimensions(attributes, node.array);
    node.array.what.attributes = attributes_from(attributes, node.losses);
    return node;
  } catch (const zarr_json::exception& failure) {
    throw error(errc::bad_input, path.string() + ": " + failure.what());
  } catch (const error& failure) {
    if (std::string_view(failure.what()).starts_with(root_.native())) throw;
    throw error(failure.code(), path.string() + ": " + failure.what());
  }
}

std::vector<std::string> zarr_2_metadata::names_in(const std::string& name) const {
  const std::vector<std::string> directories = directories_in(name.empty() ? root_ : root_ / name);
  std::set<std::string> names(directories.begin(), directories.end());
  const std::string prefix = name.empty() ? name : name + '/';
  for (const auto& [key, value] : consolidated_.items())
    if (key.starts_with(prefix)) {
      const std::size_t end = key.find('/', prefix.size());
      if (end != std::string::npos) names.insert(key.substr(prefix.size(), end - prefix.size()));
    }
  std::vector<std::string> found;
  for (const std::string& one : names) {
    // No key of the consolidated metadata leads out of the directory.
    if (one.empty() || one == "." || one == "..") continue;
    found.push_back(prefix + one);
  }
  return found;
}

}  // namespace perdure::formats
