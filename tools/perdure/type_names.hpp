// Names of objects and types as a person would write them.
#pragma once

#include <string>
#include <string_view>

namespace perdure::cli {

/// A demangled name without what its templates' defaults say: `perdure::vector<long>` for
/// `perdure::vector<long, perdure::allocator<long> >`. Text that is no such name comes back unchanged.
std::string short_type_name(std::string_view demangled);

/// Names may hold any bytes; a terminal must not see control characters.
std::string printable_name(const std::string& name);

}  // namespace perdure::cli
