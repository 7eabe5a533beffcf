// Writes NetCDF-4 files.
#pragma once

#include <filesystem>
#include <perdure/formats/array_source.hpp>
#include <span>

#include "opened_arrays.hpp"

namespace perdure::formats {

/// Writes a file of these arrays. Arrays of a group that call dimensions the same share them, if these are as
/// long. `report` learns what NetCDF cannot hold.
void write_netcdf(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed,
                  const loss_sink& report);

}  // namespace perdure::formats
