// A file without a name, for changed pages that do not fit the budget and are nobody else's business.
#pragma once

#include <filesystem>

#include "os/file.hpp"

namespace perdure::pager::detail {

/// In `wanted`; if that is empty, in `beside` or, where nothing can be made there, in TMPDIR or /tmp. Throws
/// std::system_error.
os::file make_spill_file(const std::filesystem::path& wanted, const std::filesystem::path& beside);

}  // namespace perdure::pager::detail
