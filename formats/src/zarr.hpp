// Directories of zarr, version 3.
#pragma once

#include <filesystem>
#include <perdure/formats/array_source.hpp>
#include <span>

namespace perdure::formats {

/// An array, or all in a group. `unsupported` for codecs other than bytes, transpose, vlen-utf8, gzip, zstd
/// and crc32c, shards among them.
array_sources open_zarr(const std::filesystem::path& path);
/// A single array is the directory itself; of several the directory is a group.
void write_zarr(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed);

}  // namespace perdure::formats
