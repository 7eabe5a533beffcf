// Rights to a file.
#pragma once

#include "os/file.hpp"

namespace perdure::os {

/// Gives a new file the owner, group, mode and access control list of another. False where this process may
/// not.
bool give_same_access(const file& from, const file& to);

}  // namespace perdure::os
