// Metadata of zarr arrays and groups: zarr.json of version 3; .zarray, .zgroup and .zattrs of version 2.
#pragma once

#include <filesystem>
#include <perdure/array/extents.hpp>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <vector>

#include "zarr_array.hpp"
#include "zarr_json.hpp"

namespace perdure::formats {

/// Returns what a zarr.json file says. `bad_input`; `unsupported` for a type or a codec that is not known,
/// and for an extension that must be understood.
zarr_node read_zarr_json(const std::filesystem::path& path);
/// Returns the metadata of an array with the codec `bytes` (of texts `vlen-utf8`), and zstd if compressed.
/// `chunk` has as many dimensions as zarr counts. `losses` gets a sentence about each attribute that zarr
/// cannot have. `unsupported`.
zarr_json zarr_json_of(const array_description& what, const extents& chunk, bool compressed,
                       std::vector<std::string>& losses);
zarr_json zarr_json_of_group(const std::vector<array_attribute>& attributes,
                             std::vector<std::string>& losses);
/// Returns the attribute that is the fill value of an array; null if it has none of its type.
const array_attribute* fill_value_of(const array_description& what);
/// Returns the number of dimensions that zarr counts: without the length of texts of fixed length.
std::size_t zarr_rank_of(const array_description& what);

/// The metadata of a hierarchy of version 2. Where a file is missing, `.zmetadata` of its root counts.
class zarr_2_metadata {
 public:
  explicit zarr_2_metadata(std::filesystem::path root);

  /// Returns whether a node is an array or a group; `name` is empty for the root.
  bool has(const std::string& name) const;
  /// Returns a node. Errors as `read_zarr_json`.
  zarr_node read(const std::string& name) const;
  /// Returns the names of what may be nodes in a group, sorted: of directories, and those that the
  /// consolidated metadata have.
  std::vector<std::string> names_in(const std::string& name) const;

 private:
  std::filesystem::path path_of(const std::string& name, const char* file) const;
  bool has_file(const std::string& name, const char* file) const;
  zarr_json file_of(const std::string& name, const char* file) const;

  std::filesystem::path root_;
  zarr_json consolidated_ = zarr_json::object();  // by path from the root
};

/// Sets what of a type and of codecs follows for an array whose `dims`, `chunk`, `element` and `order` are
/// known: elements of their own dimensions become dimensions of the array. `bad_input` for shapes that cannot
/// be.
void complete(zarr_array& array);

}  // namespace perdure::formats
