// Headers of classic NetCDF files, looked at before NetCDF's library reads them.
#pragma once

#include <filesystem>

namespace perdure::formats {

/// Throws `bad_input` if a classic NetCDF file (CDF-1, CDF-2, CDF-5) declares more dimensions, variables,
/// attributes or characters of names than the file can hold: the library allocates them before it reads them.
/// Returns if the header is sound as far as this tells, and if the file is of another kind or cannot be read.
void require_sound_classic_header(const std::filesystem::path& path);

}  // namespace perdure::formats
