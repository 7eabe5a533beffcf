// Redo: carrying out what a committed journal says, at home or in a reader's memory.
#pragma once

#include <array>
#include <vector>

#include "store/checksum_table.hpp"
#include "store/home_files.hpp"
#include "store/journal.hpp"

namespace perdure {

/// A committed journal that has been found whole.
struct committed_journal {
  const journal* file;
  layout::journal_header header;
  std::vector<layout::journal_entry> index;
};

/// Writes the pages home and the entries into the table. Doing it again does no harm. Pages in `newer`
/// (normalized) are left alone: a later journal of the same redo holds them, and what that later epoch
/// wrote home as fresh must not be punched or overwritten by this one. Nothing is durable on return.
void redo_at_home(const committed_journal& journal, home_files& home, checksum_table& table,
                  const std::vector<page_run>& newer = {});

/// The same into memory, for readers.
void redo_in_memory(const committed_journal& journal, std::byte* base,
                    const std::vector<page_run>& newer = {});

/// The journals that a store still has to redo, oldest first: none, one or two. A torn journal was never
/// acknowledged and is passed over. Throws `damaged` when an older one is missing beneath a newer, or a
/// segment would become shorter, which none ever does: pages of the older would lie beyond its end.
std::vector<committed_journal> find_committed(const std::array<journal, 2>& journals,
                                              const layout::super_slot& super);

/// The pages a journal speaks of, normalized.
std::vector<page_run> pages_of(const committed_journal& journal);

}  // namespace perdure
