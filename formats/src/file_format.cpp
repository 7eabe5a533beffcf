// Recognises formats.
#include <algorithm>
#include <array>
#include <perdure/error.hpp>
#include <perdure/formats/file_format.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <string>

#include "format_module.hpp"
#include "input_file.hpp"

namespace perdure::formats {
namespace {

struct format_row {
  file_format format;
  std::string_view name;
  std::array<std::string_view, 5> endings;
  std::string_view begin;  // of such a file; of a directory there is none
  bool several;
};

using namespace std::string_view_literals;
constexpr format_row format_rows[] = {
    {file_format::automatic, "auto", {}, {}, false},
    {file_format::npy, "npy", {".npy"}, "\x93NUMPY", false},
    {file_format::npz, "npz", {".npz"}, "PK", true},
    {file_format::csv, "csv", {".csv", ".tsv", ".txt"}, {}, false},
    // NetCDF-4 files are HDF5 files: their names tell them apart.
    {file_format::netcdf, "netcdf", {".nc", ".nc4", ".cdf"}, "CDF", true},
    {file_format::hdf5, "hdf5", {".h5", ".hdf5", ".hdf", ".he5"}, "\x89HDF\r\n\x1a\n"sv, true},
    {file_format::zarr, "zarr", {".zarr"}, {}, true},
};

/// Formats that files of arrays have elsewhere, often under the names of ours.
struct foreign_row {
  std::string_view name;
  std::string_view begin;
  std::string_view advice;
};
constexpr foreign_row foreign_rows[] = {
    {"HDF4", "\x0e\x03\x13\x01"sv, "to HDF5, as by h4toh5"},
    {"GRIB", "GRIB", "to NetCDF, as by grib_to_netcdf or cdo"},
    {"MATLAB before 7.3", "MATLAB 5.0 MAT-file", "by saving it with '-v7.3'"},
};
constexpr std::size_t signature_bytes = 20;

const foreign_row* foreign_format(std::string_view begin) noexcept {
  const auto* const found =
      std::find_if(std::begin(foreign_rows), std::end(foreign_rows),
                   [begin](const foreign_row& one) { return begin.starts_with(one.begin); });
  return found == std::end(foreign_rows) ? nullptr : found;
}

const format_row& row_of(file_format format) noexcept {
  return *std::find_if(std::begin(format_rows), std::end(format_rows),
                       [format](const format_row& one) { return one.format == format; });
}

/// Returns whether an HDF5 file begins behind bytes of another program: at a power of two of them.
bool has_user_block(const input_file& file) {
  const std::string_view begin = row_of(file_format::hdf5).begin;
  constexpr std::uint64_t largest = std::uint64_t{1} << 20;
  for (std::uint64_t at = 512; at <= largest && at + begin.size() <= file.size(); at *= 2)
    if (file.text_at(at, begin.size()) == begin) return true;
  return false;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return text;
}

}  // namespace

std::string_view to_string(file_format format) noexcept {
  return row_of(format).name;
}

bool is_by_library(file_format format) noexcept {
  return format == file_format::hdf5 || format == file_format::netcdf;
}

bool is_available(file_format format) {
  return !is_by_library(format) || has_format_module(std::string(to_string(format)));
}

bool holds_several(file_format format) noexcept {
  return row_of(format).several;
}

file_format format_named(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  if (name.empty()) name = path.parent_path().filename().string();  // "run.zarr/"
  name = lower_case(std::move(name));
  const auto ends_with = [](std::string_view text) {
    return [text](std::string_view ending) { return !ending.empty() && text.ends_with(ending); };
  };
  for (const format_row& row : format_rows)
    if (std::any_of(row.endings.begin(), row.endings.end(), ends_with(name))) return row.format;
  const std::string inner = workload::uncompressed_name(name).string();
  const auto& tables = row_of(file_format::csv).endings;
  return std::any_of(tables.begin(), tables.end(), ends_with(inner)) ? file_format::csv
                                                                     : file_format::automatic;
}

file_format format_of(const std::filesystem::path& path) {
  const file_format named = format_named(path);
  if (std::filesystem::is_directory(path)) {
    constexpr std::string_view metadata[] = {"zarr.json", ".zarray", ".zgroup", ".zmetadata"};
    const bool is_zarr =
        std::any_of(std::begin(metadata), std::end(metadata),
                    [&path](std::string_view file) { return std::filesystem::exists(path / file); });
    if (named == file_format::zarr || is_zarr) return file_format::zarr;
    throw error(errc::bad_input, path.string() + ": it is a directory, and no zarr array or group");
  }
  const input_file file(path);
  const std::string begin = file.text_at(0, signature_bytes);
  const foreign_row* const other = named == file_format::csv ? nullptr : foreign_format(begin);
  if (other != nullptr)
    file.refuse("it is a file of " + std::string(other->name) + ", which is not read: convert it " +
                std::string(other->advice));
  for (const format_row& row : format_rows) {
    if (row.begin.empty() || !begin.starts_with(row.begin)) continue;
    const bool is_netcdf4 = row.format == file_format::hdf5 && named == file_format::netcdf;
    return is_netcdf4 ? named : row.format;
  }
  // MATLAB writes 512 bytes of its own before an HDF5 file, and others may.
  if (named != file_format::csv && has_user_block(file)) return file_format::hdf5;
  if (named != file_format::automatic && named != file_format::zarr) return named;
  throw error(errc::bad_input,
              path.string() +
                  ": its format is not known, as neither its first bytes nor its name say it; "
                  "formats are npy, npz, csv, hdf5, netcdf and zarr, and one can be asked for");
}

}  // namespace perdure::formats
