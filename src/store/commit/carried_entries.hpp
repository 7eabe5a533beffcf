// Entries that the file `crc` does not have yet: each journal carries them on from the one before it.
//
// Checkpoints of scattered pages change a few entries in nearly every table page, so that writing the table
// each time costs a tenth of what the pages do. The entries themselves are small.
#pragma once

#include <vector>

#include "store/file/layout.hpp"

namespace perdure::store {

/// Turns an index whose pages are home now into the entries that the next journal is to carry.
void mark_applied(std::vector<layout::journal_entry>& index) noexcept;

/// Adds to the index of a new journal those entries of `earlier` about whose pages it says nothing itself. It
/// stays sorted by page.
void carry(const std::vector<layout::journal_entry>& earlier, std::vector<layout::journal_entry>& index);

}  // namespace perdure::store
