// Redo: carries out what a committed journal says, at home or in a reader's memory.
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

namespace perdure::store {

inline constexpr std::uint64_t any_epoch = std::numeric_limits<std::uint64_t>::max();

/// Which journals count.
struct epoch_ceiling {
  std::uint64_t epoch = any_epoch;  ///< journals of later epochs do not count
  bool decides = false;             ///< up to `epoch`, prepared ones without a decision count too
};

/// A committed journal that was found to be whole.
struct committed_journal {
  const journal* file;
  layout::journal_header header;
  std::vector<layout::journal_entry> index;
};

/// Writes the pages home and the entries into the table. Doing it again does no harm. Nothing is durable on
/// return.
void redo_at_home(const committed_journal& journal, home_files& home, checksum_table& table);

/// The last part of that: writes the entries into the table.
void enter_checksums(const committed_journal& journal, checksum_table& table);

enum class table_use {
  keep_in_journal,  ///< the file `crc` stays behind; the next journal must carry what it lacks
  write,
};

/// To be called after the redo: makes home durable, and the table if it is to be written, and then writes
/// that into the super block. Only then may the other journal be written.
void settle_redo(const committed_journal& journal, home_files& home, checksum_table& table,
                 super_block& super, checkpoint_log& log, table_use use);

/// Does the same as `redo_at_home`, in a reader's memory.
void redo_in_memory(const committed_journal& journal, std::byte* base);

/// Finds the journal that still counts: that of the newest checkpoint, if its pages may not be home or the
/// file `crc` is behind. If it is known to be applied, all its entries are `carried` ones. A torn journal of
/// a later checkpoint was never acknowledged and is passed over, and so are journals that do not count by the
/// ceiling, whatever they hold. Throws `damaged` if a journal is missing that must be there, if one is of
/// another history, or if the segment would become shorter, which it never does: pages would lie beyond its
/// end.
std::optional<committed_journal> find_committed(const std::array<journal, 2>& journals,
                                                const layout::super_slot& super, epoch_ceiling ceiling = {});

/// Returns whether what a journal holds belongs to this store, by identities: it follows the checkpoint that
/// home is at (if it is two ahead, by way of `other`, the header of the other journal), or it is that
/// checkpoint.
bool is_of_this_history(const layout::journal_header& header, const layout::super_slot& super,
                        const std::optional<layout::journal_header>& other);

/// A clause about a checkpoint, of which that is not so.
std::string told_as_foreign(const std::string& checkpoint);

/// The epoch that is prepared after `last`, the last that counts, and not decided on; 0 if there is none.
std::uint64_t find_undecided(const std::array<journal, 2>& journals, const layout::super_slot& super,
                             const known_checkpoint& last);

/// The length of the segment as home and the table hold it. It is in the super slot, unless the last
/// checkpoint is two ahead of that slot: then the checkpoint between was brought home, but its slot was lost,
/// to damage, or to a power failure after its writer was killed and another went on. `other` is the header of
/// the journal that is not the last one.
std::uint64_t bytes_at_home(const layout::super_slot& super, std::uint64_t last_epoch,
                            const std::optional<layout::journal_header>& other);

/// The pages that a journal names, normalized.
std::vector<detail::page_run> pages_of(const committed_journal& journal);

}  // namespace perdure::store
