// Redo: carrying out what a committed journal says, at home or in a reader's memory.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "store/file/checkpoint_log.hpp"
#include "store/file/checksum_table.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"
#include "store/file/super_block.hpp"

namespace perdure {

inline constexpr std::uint64_t any_epoch = std::numeric_limits<std::uint64_t>::max();

/// Which journals count.
struct epoch_ceiling {
  std::uint64_t epoch = any_epoch;  ///< none of a later one
  bool decides = false;             ///< up to it, those count too that nobody has decided on
};

/// A committed journal that has been found whole.
struct committed_journal {
  const journal* file;
  layout::journal_header header;
  std::vector<layout::journal_entry> index;
};

/// Writes the pages home and the entries into the table. Doing it again does no harm. Nothing is durable on
/// return.
void redo_at_home(const committed_journal& journal, home_files& home, checksum_table& table);

/// The last part of it: the entries into the table.
void enter_checksums(const committed_journal& journal, checksum_table& table);

enum class table_use {
  keep_in_journal,  ///< the file `crc` stays behind; the next journal must carry what it lacks
  write,
};

/// After the redo: makes home durable, and the table if it is to be written, and then the super block say so.
/// Only then may the other journal be written.
void settle_redo(const committed_journal& journal, home_files& home, checksum_table& table,
                 super_block& super, checkpoint_log& log, table_use use);

/// As `redo_at_home`, into memory, for readers.
void redo_in_memory(const committed_journal& journal, std::byte* base);

/// The journal that still counts: of the newest checkpoint, if its pages may not be home or the table in the
/// file `crc` is behind. Where it is known to be applied, all its entries are `carried` ones. A torn journal
/// of a later checkpoint was never acknowledged and is passed over. Throws `damaged` when one that must be
/// there is not, or the segment would become shorter, which it never does: pages would lie beyond its end.
///
/// Journals that do not count by the ceiling are passed over, whatever they hold.
std::optional<committed_journal> find_committed(const std::array<journal, 2>& journals,
                                                const layout::super_slot& super, epoch_ceiling ceiling = {});

/// The epoch that is prepared after `last`, the last that counts, and not decided on; 0 if there is none.
std::uint64_t find_undecided(const std::array<journal, 2>& journals, const layout::super_slot& super,
                             std::uint64_t last);

/// Length of the segment as home and the table hold it. The super slot tells, unless the last checkpoint is
/// two ahead of it: then the one between was brought home, but its slot was lost, to damage or to a power cut
/// after its writer was killed and another went on. `other` is the header of the journal that is not the last
/// one.
std::uint64_t bytes_at_home(const layout::super_slot& super, std::uint64_t last_epoch,
                            const std::optional<layout::journal_header>& other);

/// The pages a journal speaks of, normalized.
std::vector<page_run> pages_of(const committed_journal& journal);

}  // namespace perdure
