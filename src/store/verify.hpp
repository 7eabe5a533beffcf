// Checking every byte of a store that nobody writes.
#pragma once

#include <perdure/verify.hpp>

#include "os/file.hpp"

namespace perdure {

/// Reads all files of the store whose lock is held, and changes nothing. Throws what opening would throw
/// for other reasons than damage (`not_a_store`, `too_new`, `incompatible`), and failed system calls other
/// than reads.
verify_report verify_files(const os::file& directory, const verify_options& options);

}  // namespace perdure
