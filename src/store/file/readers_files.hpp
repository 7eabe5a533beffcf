// How a writer goes on beside readers that have opened the store before it: it leaves the files to them, and
// goes on with copies that share their blocks. Readers keep the files that they have open, which have no
// names then and go with the last reader. Locks are on `super`: while that is the original, a writer finds
// the readers' locks.
#pragma once

#include <functional>

#include "os/file.hpp"

namespace perdure::store {

/// Returns the new `super`, open for writing; a file that is not open where blocks cannot be shared, or where
/// this process may not make such copies: then nothing has changed. The caller must be the only one that
/// opens files of the store by their names. `lock` locks the new `super` before others can find it.
os::file leave_files_to_readers(const os::file& directory,
                                const std::function<void(const os::file& super)>& lock);

}  // namespace perdure::store
