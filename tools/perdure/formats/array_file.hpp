// Files of arrays, whatever their format is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/array_input.hpp"

namespace perdure::formats {

enum class file_format : std::uint8_t { automatic, npy, npz, csv, hdf5, netcdf, zarr };

std::string_view to_string(file_format format) noexcept;
/// Whether it is read by a library of its own, which may meet its end over a damaged file.
bool is_by_library(file_format format) noexcept;
/// By its name: `x.npy`. `automatic` where it says nothing.
file_format format_named(const std::filesystem::path& path);
/// By what a file begins with, and by its name where that says nothing. `not_found`, `io`; `bad_input` where
/// neither says anything.
file_format format_of(const std::filesystem::path& path);
/// Whether a file of that format has names for several arrays.
bool holds_several(file_format format) noexcept;

struct reading_options {
  file_format format = file_format::automatic;
  /// Of a table of text: what its elements are.
  std::optional<data_type> type = {};
};

/// The arrays of a file. `not_found`, `io`, `bad_input`, `unsupported` (also: no library for the format).
array_inputs open_arrays(const std::filesystem::path& path, const reading_options& options);

struct writing_options {
  file_format format = file_format::npy;
  bool compressed = false;  ///< where the format can do that
};

/// The file is the caller's to name and to remove if this fails; nothing may be there of that name, unless
/// it is a pipe or a device. Arrays have names, but one in a format of one array.
void write_arrays(const std::filesystem::path& path, std::span<array_input* const> arrays,
                  const writing_options& options);

}  // namespace perdure::formats
