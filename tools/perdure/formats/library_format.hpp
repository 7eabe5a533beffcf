// Formats that are read and written by large libraries of their own. Each is a module beside the program,
// which is loaded when it is needed: with what HDF5 and NetCDF bring along every command would take 25 ms to
// start.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "formats/array_input.hpp"

namespace perdure::formats {

/// What a module offers, by its function `perdure_format`.
struct library_format {
  array_inputs (*open)(const std::filesystem::path& path);
  void (*write)(const std::filesystem::path& path, std::span<array_input* const> arrays, bool compressed);
};

/// Of the module perdure_NAME.so. `unsupported`, naming the library, where there is none; stays loaded.
const library_format& load_library_format(const std::string& name);
/// Whether the module is there.
bool has_library_format(const std::string& name);

}  // namespace perdure::formats

extern "C" {
/// Defined by each module.
[[gnu::visibility("default")]] const perdure::formats::library_format* perdure_format();
}
