// Formats of array files, and how a file's format is recognised.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace perdure::formats {

/// The format of a file of arrays; `automatic` is told from its name and its first bytes.
enum class file_format : std::uint8_t { automatic, npy, npz, csv, hdf5, netcdf, zarr };

/// Returns "npy", "hdf5", …; "auto" for `automatic`.
std::string_view to_string(file_format format) noexcept;
/// Returns the format that a file's name says: .npy, .npz, .csv, .tsv, .txt, .nc, .nc4, .cdf, .h5, .hdf5,
/// .hdf, .he5 or .zarr, in upper or lower case; a table of text may be called .gz, .zst or .xz behind it.
/// `automatic` for any other name.
file_format format_named(const std::filesystem::path& path);
/// Returns the format of a file that exists: by its first bytes, and by its name where these say nothing
/// (tables of text) or too little (NetCDF-4 files are HDF5 files). `not_found`, `permission_denied`, `io`;
/// `bad_input` if neither says anything.
file_format format_of(const std::filesystem::path& path);
/// Returns whether a file of that format has several arrays, with names.
bool holds_several(file_format format) noexcept;
/// Returns whether this program can read and write the format: HDF5 and NetCDF need a module, which is
/// installed if Perdure was built beside their libraries. The module is looked for
///
/// 1. in the directory `PERDURE_FORMAT_MODULES`, if that environment variable is set, and nowhere else;
/// 2. in `perdure` beside the program or the shared library that contains this function, and in `lib/perdure`
///    beside a `bin` with the program;
/// 3. where the dynamic loader looks: in the run path of the program, which the CMake target
/// `perdure::formats`
///    and pkg-config add to.
bool is_available(file_format format);
/// Returns whether files of the format are read and written by a library (HDF5, NetCDF), which may crash over
/// a damaged file: programs that must not may read such files in a process of their own.
bool is_by_library(file_format format) noexcept;

}  // namespace perdure::formats
