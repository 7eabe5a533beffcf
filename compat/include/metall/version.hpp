// The version of Metall whose interface these headers have.
#pragma once

#include <cstdint>
#include <string>

/// Major version times 100000, plus minor version times 100, plus patch level.
#define METALL_VERSION 3500

namespace metall {

using version_type = std::uint32_t;

namespace ver_detail {
/// No version: what `get_version` returns on error.
inline constexpr version_type k_error_version = 0;
}  // namespace ver_detail

/// "MAJOR.MINOR.PATCH".
inline std::string to_version_string(const version_type version) {
  return std::to_string(version / 100000) + '.' + std::to_string(version / 100 % 1000) + '.' +
         std::to_string(version % 100);
}

}  // namespace metall
