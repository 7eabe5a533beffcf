// Headers of classic NetCDF files, looked at before NetCDF's library reads them.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace perdure::formats {

/// Variables of a classic file whose elements it does not have, by name, with the reason: the library gives
/// zeros for them.
using cut_variables = std::map<std::string, std::string>;

/// Looks at a classic NetCDF file (CDF-1, CDF-2, CDF-5). Throws `bad_input` if it declares more dimensions,
/// variables, attributes or characters of names than it can hold: the library allocates them before it reads
/// them. Returns nothing for a file of another kind or one that cannot be read.
cut_variables check_classic_header(const std::filesystem::path& path);

}  // namespace perdure::formats
