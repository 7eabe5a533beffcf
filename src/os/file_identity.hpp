// Tells a file from a copy of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "os/file.hpp"

namespace perdure::os {

/// Stays the same for as long as the file lives, under whatever name; a copy has another one.
struct file_identity {
  std::uint64_t inode = 0;
  std::uint64_t born_ns = 0;  ///< Unix time; 0 where the file system does not keep it

  friend bool operator==(const file_identity&, const file_identity&) = default;
};

/// Nothing on file systems that number files anew (those of networks, of users' programs, and overlays may).
std::optional<file_identity> lasting_identity(const file& of);

/// How many names the file of this name in a directory has; 0 if there is none.
std::uint64_t names_of(const file& directory, const std::string& name);

}  // namespace perdure::os
