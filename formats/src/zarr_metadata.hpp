// What a zarr.json file says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <perdure/array/extents.hpp>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <vector>

namespace perdure::formats {

enum class zarr_codec : std::uint8_t { gzip, zstd, crc32c };

struct zarr_array {
  array_description what;  ///< its name is the caller's
  extents chunk;
  char separator = '/';
  bool is_version_2_key = false;
  bool is_big_endian = false;
  std::vector<std::size_t> order;  ///< of the dimensions in a chunk, the outermost first
  std::vector<zarr_codec> codecs;  ///< in the order of writing
  std::string fill;                ///< an element; of texts the text
};

/// A node of a hierarchy.
struct zarr_node {
  bool is_group = false;
  zarr_array array;  ///< of what is no group
};

/// `bad_input`, `unsupported`.
zarr_node read_zarr_json(const std::filesystem::path& path);
/// Of an array with the codec `bytes` (of texts `vlen-utf8`), and zstd if compressed.
std::string zarr_json_of(const array_description& what, const extents& chunk, bool compressed);
std::string zarr_json_of_group();

}  // namespace perdure::formats
