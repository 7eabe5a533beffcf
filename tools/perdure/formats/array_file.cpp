// Finds out formats, and hands files to what knows theirs.
#include "formats/array_file.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <perdure/error.hpp>

#include "formats/csv.hpp"
#include "formats/input_file.hpp"
#include "formats/library_format.hpp"
#include "formats/npy.hpp"
#include "formats/npz.hpp"
#include "formats/output_file.hpp"
#include "formats/zarr.hpp"

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

const format_row& row_of(file_format format) noexcept {
  return *std::find_if(std::begin(format_rows), std::end(format_rows),
                       [format](const format_row& one) { return one.format == format; });
}

const library_format& module_for(file_format format) {
  return load_library_format(std::string(row_of(format).name));
}

}  // namespace

std::string_view to_string(file_format format) noexcept {
  return row_of(format).name;
}

bool is_by_library(file_format format) noexcept {
  return format == file_format::hdf5 || format == file_format::netcdf;
}

bool holds_several(file_format format) noexcept {
  return row_of(format).several;
}

file_format format_named(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  if (name.empty()) name = path.parent_path().filename().string();  // "run.zarr/"
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  for (const format_row& row : format_rows)
    for (const std::string_view ending : row.endings)
      if (!ending.empty() && name.ends_with(ending)) return row.format;
  return file_format::automatic;
}

file_format format_of(const std::filesystem::path& path) {
  const file_format named = format_named(path);
  if (std::filesystem::is_directory(path)) {
    if (named == file_format::zarr || std::filesystem::exists(path / "zarr.json")) return file_format::zarr;
    throw error(errc::bad_input,
                path.string() + ": it is a directory, and no zarr array or group of version 3");
  }
  const std::string begin = input_file(path).text_at(0, 8);
  for (const format_row& row : format_rows) {
    if (row.begin.empty() || !begin.starts_with(row.begin)) continue;
    const bool is_netcdf4 = row.format == file_format::hdf5 && named == file_format::netcdf;
    return is_netcdf4 ? named : row.format;
  }
  if (named != file_format::automatic && named != file_format::zarr) return named;
  throw error(errc::bad_input, path.string() + ": its format is not known; --format names it");
}

array_inputs open_arrays(const std::filesystem::path& path, const reading_options& options) {
  const file_format format = options.format == file_format::automatic ? format_of(path) : options.format;
  array_inputs arrays;
  switch (format) {
    case file_format::npy: {
      auto file = std::make_shared<const input_file>(path);
      const std::uint64_t bytes = file->size();
      arrays.push_back(open_npy(std::move(file), 0, bytes, ""));
      break;
    }
    case file_format::npz:
      arrays = open_npz(path);
      break;
    case file_format::csv:
      arrays.push_back(open_csv(path, options.type));
      break;
    case file_format::hdf5:
    case file_format::netcdf:
      arrays = module_for(format).open(path);
      break;
    default:
      arrays = open_zarr(path);
      break;
  }
  std::sort(arrays.begin(), arrays.end(),
            [](const auto& a, const auto& b) { return a->what().name < b->what().name; });
  return arrays;
}

void write_arrays(const std::filesystem::path& path, std::span<array_input* const> arrays,
                  const writing_options& options) {
  if (!holds_several(options.format) && arrays.size() != 1)
    throw error(errc::unsupported, "a file of format " + std::string(to_string(options.format)) +
                                       " has one array, and " + std::to_string(arrays.size()) +
                                       " are to be written: choose .npz, .h5, .nc or .zarr, or name one");
  switch (options.format) {
    case file_format::hdf5:
    case file_format::netcdf:
      return module_for(options.format).write(path, arrays, options.compressed);
    case file_format::zarr:
      return write_zarr(path, arrays, options.compressed);
    default:
      break;
  }
  output_file out(path);
  if (options.format == file_format::npz) {
    write_npz(arrays, options.compressed, out.sink());
  } else if (options.format == file_format::csv) {
    write_csv(*arrays[0], path.native().ends_with(".tsv") ? '\t' : ',', out.sink());
  } else {
    write_npy(*arrays[0], out.sink());
  }
  out.finish();
}

}  // namespace perdure::formats
