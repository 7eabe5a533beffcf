// Directories of zarr, versions 2 and 3.
#pragma once

#include <filesystem>
#include <perdure/formats/array_source.hpp>
#include <span>

#include "opened_arrays.hpp"

namespace perdure::formats {

/// Opens an array, or all in a group, or the one that `how` names. An array in a group whose type or codec is
/// not known is left out and named. Attributes of groups are sources of their own (group_attributes.hpp).
/// `unsupported` for a single array that cannot be read; `bad_input`, `io`.
opened_arrays open_zarr(const std::filesystem::path& path, const opening& how);
/// Writes version 3. A single array is the directory itself; of several the directory is a group.
void write_zarr(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed,
                const loss_sink& report);

}  // namespace perdure::formats
