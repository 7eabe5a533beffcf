// The feature bit of stores that are parts of a set.
#pragma once

#include <cstdint>

#include "store/file/layout.hpp"

namespace perdure::layout {

/// Only its set opens the store for writing, and says which checkpoint counts. Libraries that do not know the
/// bit read the store and do not write it.
inline constexpr std::uint64_t read_only_compat_joint = 2;

}  // namespace perdure::layout
