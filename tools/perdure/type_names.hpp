// Names of objects and types as a terminal may see them.
#pragma once

#include <string>

namespace perdure::cli {

/// Names may hold any bytes; a terminal must not see control characters.
std::string printable_name(const std::string& name);

}  // namespace perdure::cli
