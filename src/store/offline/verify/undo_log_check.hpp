// Verifies `undo`, which holds what was at home before pages were written there for a checkpoint that never
// came.
#pragma once

#include <vector>

#include "os/file.hpp"
#include "store/file/layout.hpp"
#include "store/offline/verify/expectations.hpp"
#include "store/offline/verify/findings.hpp"

namespace perdure::store {

/// Returns the pages that the next opening takes back, sorted by page.
std::vector<layout::journal_entry> check_undo_log(const os::file& directory, const layout::super_slot& super,
                                                  const last_checkpoint& last, findings& found);

}  // namespace perdure::store
