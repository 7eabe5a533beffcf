// The description of a stored array, and options for storing one.
#pragma once

#include <cstdint>
#include <perdure/array/extents.hpp>
#include <perdure/data_type.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

/// The place of the elements of an array.
enum class array_layout : std::uint8_t {
  blocks = 0,      ///< each part as it was written, one block each
  contiguous = 1,  ///< all beside each other, row-major; parts are written in place
  chunked = 2,     ///< in a grid of blocks of the same shape
};

/// The way in which the bytes of a block are made fewer.
enum class compression : std::uint8_t {
  none = 0,
  lz4 = 1,    ///< fast
  zstd = 2,   ///< small
  blosc = 3,  ///< lz4 behind a shuffle by vector instructions: as small as lz4, and read faster
};

/// Returns the name, as `array_layout_named` and `compression_named` take it.
///@{
std::string_view to_string(array_layout layout) noexcept;
std::string_view to_string(compression codec) noexcept;
///@}
/// Returns what has the name. Throws `invalid_argument`, which lists the names.
///@{
array_layout array_layout_named(std::string_view name);
compression compression_named(std::string_view name);
///@}
/// Returns whether this build has the codec.
bool is_available(compression codec) noexcept;
/// Returns whether an array may have the name: 1 to 4096 bytes, single slashes between its parts, no zero
/// byte.
bool is_array_name(std::string_view name) noexcept;

/// Options for storing an array.
struct array_options {
  /// Where the elements lie.
  array_layout layout = array_layout::blocks;
  /// Elements of a chunk along each dimension, of a chunked array. Empty: chosen, of about a MiB.
  extents chunk = {};
  /// How each block is compressed. With `contiguous` there is no compression.
  compression codec = compression::none;
  int level = 0;        ///< level of the codec; 0: its usual one
  bool shuffle = true;  ///< first bytes of all elements before second ones: numbers become smaller by it
  /// Names of the dimensions: none, or one for each.
  std::vector<std::string> dimensions = {};
  /// Whether an array of the same id and another type (of another type or shape, where one is created) is
  /// replaced in one step, with its attributes. Whoever looks sees the old array or the new one, and so does
  /// each checkpoint. Otherwise it is an error.
  bool replaces_any = false;
};

/// Facts about a stored array.
struct array_info {
  std::string id;                              ///< name of the array
  data_type type;                              ///< type of an element, without fixed dimensions
  extents dims;                                ///< elements along each dimension
  std::vector<std::string> dimensions;         ///< their names; empty where they have none
  array_layout layout = array_layout::blocks;  ///< where the elements lie
  extents chunk;                               ///< elements of a chunk; empty unless chunked
  compression codec = compression::none;       ///< how blocks are compressed
  std::uint64_t bytes = 0;         ///< bytes of all elements, as loaded (of variable ones, as stored)
  std::uint64_t stored_bytes = 0;  ///< bytes of all blocks
  std::uint64_t blocks = 0;        ///< number of blocks
  /// Whether `view` needs no copy: one uncompressed block with all elements.
  bool is_viewable = false;
};

}  // namespace perdure
