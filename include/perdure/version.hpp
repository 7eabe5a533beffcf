// Version of the library. The version of the on-disk format is another matter: see `store_info`.
#pragma once

#include <perdure/c/version.h>

namespace perdure {

/// Version of the headers: major, minor and patch, and all of it as text.
///@{
inline constexpr int version_major = PERDURE_VERSION_MAJOR;
inline constexpr int version_minor = PERDURE_VERSION_MINOR;
inline constexpr int version_patch = PERDURE_VERSION_PATCH;
inline constexpr char version_string[] = "0.1.0";
///@}

}  // namespace perdure
