// Files that copies of a store are made of.
#pragma once

#include <string>

#include "os/file.hpp"

namespace perdure::store {

/// Makes the empty file of a copy, with the attributes by which it can share blocks with its original, and by
/// which the first write to a shared block copies little. EEXIST if there is one.
os::file make_file_for_copy(const os::file& directory, const std::string& name);

}  // namespace perdure::store
