// Writes datasets and groups of HDF5.
#pragma once

#include <filesystem>
#include <perdure/formats/array_source.hpp>
#include <span>

#include "hdf5/hdf5_handle.hpp"
#include "opened_arrays.hpp"

namespace perdure::formats {

/// Writes a file of these arrays. `report` learns what HDF5 cannot hold.
void write_hdf5(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed,
                const loss_sink& report);

}  // namespace perdure::formats
