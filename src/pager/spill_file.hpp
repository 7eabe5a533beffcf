// A file without a name, for changed pages of a private mapping that do not fit the budget.
#pragma once

#include <filesystem>

#include "os/file.hpp"

namespace perdure::pager::detail {

/// Makes it in `wanted`; if that is empty, in `beside` or, if that fails, in TMPDIR or /tmp. Throws
/// std::system_error.
os::file make_spill_file(const std::filesystem::path& wanted, const std::filesystem::path& beside);

}  // namespace perdure::pager::detail
