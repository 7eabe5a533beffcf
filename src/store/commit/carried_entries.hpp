// What the file `crc` does not tell of yet: each journal carries on what the one before it knew of that.
//
// Checkpoints of scattered pages change a few entries in nearly every table page, so that writing the table
// each time costs a tenth of what the pages do. The entries themselves are small.
#pragma once

#include <vector>

#include "store/file/layout.hpp"

namespace perdure {

/// Makes of an index what the next journal is to carry of it, now that its pages are home.
void mark_applied(std::vector<layout::journal_entry>& index) noexcept;

/// Adds to the index of a new journal, which stays sorted by page, what of `earlier` it does not speak of
/// itself.
void carry(const std::vector<layout::journal_entry>& earlier, std::vector<layout::journal_entry>& index);

}  // namespace perdure
