// What is known of a stored array, and how one is to be stored.
#pragma once

#include <cstdint>
#include <perdure/array/extents.hpp>
#include <perdure/data_type.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

/// Where the elements of an array lie.
enum class array_layout : std::uint8_t {
  blocks = 0,      ///< each part as it was written, one block each
  contiguous = 1,  ///< all beside each other, row-major; parts are written in place
  chunked = 2,     ///< in a grid of blocks of the same shape
};

/// How the bytes of a block are made fewer.
enum class compression : std::uint8_t {
  none = 0,
  lz4 = 1,    ///< fast
  zstd = 2,   ///< small
  blosc = 3,  ///< lz4 behind a shuffle by vector instructions: as small as lz4, and read faster
};

std::string_view to_string(array_layout layout) noexcept;
std::string_view to_string(compression codec) noexcept;
/// `invalid_argument`, which lists the names.
array_layout array_layout_named(std::string_view name);
compression compression_named(std::string_view name);
/// Whether this build has the codec.
bool is_available(compression codec) noexcept;
/// Whether an array may have the name: 1 to 4096 bytes, single slashes between its parts, no zero byte.
bool is_array_name(std::string_view name) noexcept;

struct array_options {
  array_layout layout = array_layout::blocks;
  /// Of a chunked array: elements of a chunk along each dimension. Empty: chosen, of about a MiB.
  extents chunk = {};
  /// Of each block. With `contiguous` there is none.
  compression codec = compression::none;
  int level = 0;        ///< of the codec; 0: its usual one
  bool shuffle = true;  ///< first bytes of all elements before second ones: numbers become smaller by it
  /// Names of the dimensions: none, or one for each.
  std::vector<std::string> dimensions = {};
  /// Whether an array of that id that is of another type (of another type or shape, where one is created) is
  /// replaced in one step, with its attributes: whoever looks sees the old array or the new one, and so does
  /// each checkpoint. Else it is an error.
  bool replaces_any = false;
};

struct array_info {
  std::string id;
  data_type type;
  extents dims;
  std::vector<std::string> dimensions;  ///< their names; empty where they have none
  array_layout layout = array_layout::blocks;
  extents chunk;
  compression codec = compression::none;
  std::uint64_t bytes = 0;         ///< of all elements, as they are loaded (of variable elements, as stored)
  std::uint64_t stored_bytes = 0;  ///< of all blocks
  std::uint64_t blocks = 0;
  /// Whether `view` needs no copy: one uncompressed block with all elements.
  bool is_viewable = false;
};

}  // namespace perdure
