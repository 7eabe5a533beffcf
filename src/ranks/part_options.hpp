// Options that a set passes to its parts.
#pragma once

#include <perdure/detail/store_set.hpp>

namespace perdure::detail {

/// `unsupported` where parts of a set cannot be opened so, for writing or for reading only;
/// `invalid_argument`.
void require_part_options(const set_options& options, bool is_written);

}  // namespace perdure::detail
