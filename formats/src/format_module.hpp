// Formats that are read and written by large libraries of their own. Each is a module, which is loaded when
// it is needed: with what HDF5 and NetCDF bring along every program would take 25 ms to start.
#pragma once

#include <filesystem>
#include <perdure/formats/array_source.hpp>
#include <span>
#include <string>

#include "opened_arrays.hpp"

namespace perdure::formats {

/// Returns whether the module perdure_NAME.so can be loaded.
bool has_format_module(const std::string& name);
/// Opens a file by the module perdure_NAME.so, which stays loaded. `unsupported` where there is none; what
/// the module's library says of the file.
opened_arrays open_by_module(const std::string& name, const std::filesystem::path& path, const opening& how);
void write_by_module(const std::string& name, const std::filesystem::path& path,
                     std::span<array_source* const> arrays, bool compressed, const loss_sink& report);

}  // namespace perdure::formats
