// Descriptors of files that are open already: with flags of their own, and past the page cache.
#pragma once

#include "os/file.hpp"

namespace perdure::os {

/// Another description of the same open file: its flags and hints are its own. Empty where that fails.
file reopen(const file& opened, int flags) noexcept;

/// A description that passes the page cache by, for transfers of whole aligned pages. Empty where the file
/// system refuses, or wants other alignments.
file open_direct(const file& opened, int flags) noexcept;

}  // namespace perdure::os
