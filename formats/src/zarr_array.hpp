// Facts about a zarr array, of either version of the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/array/extents.hpp>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <vector>

#include "numpy_type.hpp"

namespace perdure::formats {

/// Encodings of bytes as bytes.
enum class zarr_codec : std::uint8_t { blosc, bzip2, crc32c, gzip, lz4, xz, zlib, zstd };

/// Chunks that share a file, which has an index of them.
struct zarr_shards {
  extents shape;  ///< elements of a shard along each dimension; empty: each chunk has a file of its own
  bool is_index_first = false;
  bool has_checksum = false;  ///< whether the index has a CRC-32C behind it
  bool has_big_endian_index = false;
};

/// How files of chunks are named.
struct zarr_keys {
  bool has_prefix = true;  ///< "c" before the numbers
  char separator = '/';
};

struct zarr_array {
  /// Its name is the caller's. Behind the dimensions of the grid are those that an element has itself: the
  /// length of texts of fixed length.
  array_description what;
  extents dims;        ///< dimensions of the grid: as the file counts them
  extents chunk;       ///< elements of a chunk along each dimension of the grid
  numpy_type element;  ///< how an element lies in a chunk; its size is 0 for texts of variable length
  std::vector<std::size_t> order;  ///< dimensions as they are nested in a chunk, the outermost first
  std::vector<zarr_codec> codecs;  ///< in the order of writing
  zarr_shards shards;
  zarr_keys keys;
  std::string fill;  ///< an element of a chunk that has no file; of Unicode texts the text in UTF-8

  /// Returns whether a chunk is a list of texts with their lengths.
  bool has_variable_texts() const noexcept { return what.type.is_variable() && !element.is_utf32; }
};

/// A node of a hierarchy.
struct zarr_node {
  bool is_group = false;
  zarr_array array;                              ///< the array, if the node is no group
  std::vector<array_attribute> attributes = {};  ///< attributes of a group
  std::vector<std::string> losses = {};          ///< parts that are not kept, as in `loss`
};

}  // namespace perdure::formats
