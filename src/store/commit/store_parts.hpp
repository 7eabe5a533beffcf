// The common parts of all open datastores: directory, lock, super block, home files.
#pragma once

#include <array>
#include <perdure/datastore.hpp>

#include "os/mapping.hpp"
#include "store/commit/redo.hpp"
#include "store/file/checkpoint_log.hpp"
#include "store/file/checksum_table.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"
#include "store/file/store_lock.hpp"
#include "store/file/super_block.hpp"
#include "store/file/undo_log.hpp"

namespace perdure::store {

/// The use for which a store is opened.
enum class store_use {
  read,
  private_changes,  ///< the program may write to the memory, and its changes are not kept
  write,
};

/// How many pages of the segment are in memory.
enum class residence {
  all,            ///< the kernel decides how many
  within_budget,  ///< they come and go as they are touched
};

/// Whether home has what the last journal holds.
enum class redo_state {
  done,
  pending,  ///< left to a writer: home has no room for it
};

/// Which files an open store has.
enum class file_origin {
  own,   ///< the files in its directory
  twin,  ///< a reader's, beside a writer: files without a name that share blocks with the own
};

/// Which labelled checkpoints are kept as copies, and how.
struct keeping {
  unsigned last;     // how many; 0: none
  bool full_copies;  // where blocks cannot be shared
};

struct store_parts {
  std::filesystem::path path;
  store_use use;
  store_lock lock;
  os::file directory;
  super_block super;
  home_files home;
  checksum_table checksums;
  std::array<journal, 2> journals;
  epoch_ceiling ceiling;  // for a reader beside a writer, or where the program says what was decided
  undo_log undo;
  checkpoint_log log;
  keeping keep;
  // Bytes that changed pages may take; of a paged store all that are in memory. 0 for a reader of a store
  // that is not paged, which has no budget.
  std::uint64_t memory_budget;
  residence resident;
  verify_mode verify;
  redo_state redo = redo_state::done;
  file_origin files = file_origin::own;
  os::reservation place;  // address space for the segment
};

/// Returns the result of `datastore::info`, from a super slot and the files in the directory.
store_info describe(const os::file& directory, const layout::super_slot& super, const std::string& abi);

}  // namespace perdure::store
